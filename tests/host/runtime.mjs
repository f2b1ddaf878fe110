// Runs a bundle in the local Cloudflare runtime, with its storage in a folder that outlives the process and with every
// outbound request led to the scripted provider alone: those for Anthropic too, those for pages under `.example`, and what
// goes to the AI binding, through a stand-in. Used by the Rust suites (through host.mjs), by the interop suite and by the browser suite, so that all of
// them test the same release bundle in the same way.

import { readFile, readdir } from "node:fs/promises";
import { request as outboundRequest } from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Log, LogLevel, Miniflare } from "miniflare";
import { parse } from "smol-toml";

const checkout = fileURLToPath(new URL("../../", import.meta.url));
const bareFolder = fileURLToPath(new URL("./bare/", import.meta.url));
const workersAiFolder = fileURLToPath(new URL("./workers-ai/", import.meta.url));
const workerName = "flarebot";
const workersAiName = "workers-ai";
const anthropic = "api.anthropic.com";
/** A page that a tool reads: nobody else asks for these names, and nobody reads with another method. */
const isPage = (method, host) => method === "GET" && host.endsWith(".example");
const moduleTypes = { ".js": "esm", ".mjs": "esm", ".wasm": "wasm", ".txt": "text" };

/** Where the bundles are, unless the environment says otherwise. */
export const locations = {
  bundle: process.env.FLAREBOT_BUNDLE ?? path.join(checkout, "build/worker"),
  fixtureBundle: process.env.FLAREBOT_FIXTURE_BUNDLE ?? path.join(checkout, "build/fixture"),
  assets: process.env.FLAREBOT_ASSETS ?? path.join(checkout, "build/assets"),
};

/**
 * Starts one runtime.
 *
 * @param {object} options
 * @param {"production" | "fixture" | "bare"} options.entry which bundle runs
 * @param {string} options.storage the folder that keeps the objects' storage
 * @param {number} options.port the port on the loopback interface; part of the origin, so it is chosen by the caller
 * @param {Record<string, string>} options.variables the configuration of the deployment
 * @param {string} [options.provider] `host:port` of the scripted provider: the only outbound address that is served
 */
export async function startRuntime({ entry, storage, port, variables, provider }) {
  const refused = [];
  const dev = {
    outboundService: {
      type: "node-handler",
      handler: (incoming, outgoing) => lead(incoming, outgoing, provider, refused),
    },
  };
  const config = entry === "bare" ? await bareWorker(variables) : await bundledWorker(entry, variables);
  const workersAi = await workersAiWorker(provider);
  config.env.AI = { type: "worker", worker: workersAiName, exportName: "WorkersAi" };
  // The real binding runs within its caller, where a signal reaches it anyway; to the stand-in it has to travel.
  config.compatibilityFlags = [...(config.compatibilityFlags ?? []), "enable_abortsignal_rpc"];
  const runtime = new Miniflare({
    host: "127.0.0.1",
    port,
    resourcePersistencePath: storage,
    telemetry: { enabled: false },
    enableDevRegistry: false,
    cf: false,
    log: new Log(LogLevel.WARN),
    handleStructuredLogs: ({ level, message }) => process.stderr.write(`[${level}] ${message}\n`),
    workers: [
      { config, dev },
      { config: workersAi, dev },
    ],
  });
  await runtime.ready;
  return {
    /** Every outbound request that was not for the provider, as `METHOD host/path`. */
    refused,
    /** Calls the fixture object, which no request from outside can reach. */
    async fixture(target) {
      const objects = await runtime.getDurableObjectNamespace("FIXTURE");
      const url = new URL(target, "http://fixture");
      return objects.get(objects.idFromName(url.searchParams.get("object") ?? "fixture")).fetch(url.href);
    },
    stop: () => runtime.dispose(),
  };
}

export async function bundledWorker(entry, variables) {
  const settings = parse(await readFile(path.join(checkout, "wrangler.toml"), "utf8"));
  const bindings = settings.durable_objects.bindings.map(({ name, class_name }) => ({ name, exportName: class_name }));
  if (entry === "fixture") bindings.push({ name: "FIXTURE", exportName: "Fixture" });
  const env = environment(variables);
  const exports = {};
  for (const { name, exportName } of bindings) {
    env[name] = { type: "durable-object", worker: workerName, exportName };
    exports[exportName] = { type: "durable-object", storage: "sqlite" };
  }
  if (settings.assets?.binding) env[settings.assets.binding] = { type: "assets" };
  return {
    name: workerName,
    compatibilityDate: settings.compatibility_date,
    compatibilityFlags: settings.compatibility_flags ?? [],
    manifest: await manifest(entry === "fixture" ? locations.fixtureBundle : locations.bundle, "entry.mjs"),
    env,
    exports,
    ...(settings.assets && { assets: assets(settings.assets) }),
  };
}

function assets({ run_worker_first, html_handling, not_found_handling }) {
  return {
    directory: locations.assets,
    hasUserWorker: true,
    ...(run_worker_first !== undefined && { runWorkerFirst: run_worker_first }),
    ...(html_handling && { htmlHandling: html_handling }),
    ...(not_found_handling && { notFoundHandling: not_found_handling }),
  };
}

async function bareWorker(variables) {
  return {
    name: workerName,
    compatibilityDate: "2026-11-17",
    manifest: await manifest(bareFolder, "bare.mjs"),
    env: { ...environment(variables), BARE: { type: "durable-object", worker: workerName, exportName: "Bare" } },
    exports: { Bare: { type: "durable-object", storage: "sqlite" } },
  };
}

async function workersAiWorker(provider) {
  return {
    name: workersAiName,
    compatibilityDate: "2026-11-17",
    compatibilityFlags: ["enable_abortsignal_rpc"],
    manifest: await manifest(workersAiFolder, "workers-ai.mjs"),
    env: environment({ PROVIDER: provider }),
    exports: { WorkersAi: { type: "worker" } },
  };
}

export function environment(variables) {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, { type: "text", value }]));
}

export async function manifest(folder, mainModule) {
  const modules = {};
  for (const name of await readdir(folder, { recursive: true })) {
    const type = moduleTypes[path.extname(name)];
    if (!type) continue;
    const contents = await readFile(path.join(folder, name), type === "wasm" ? null : "utf8");
    modules[name] = { type, contents };
  }
  if (!modules[mainModule]) throw new Error(`there is no ${mainModule} in ${folder}; build the bundle first`);
  return { mainModule, modulesRoot: folder, modules };
}

// A handler on Node's own request and response, because only there does a cancelled fetch become a closed connection.
function lead(incoming, outgoing, provider, refused) {
  const host = incoming.headers.host ?? "";
  const { pathname, search } = new URL(incoming.url, `http://${host}`);
  if (host !== provider && host !== anthropic && !isPage(incoming.method, host)) {
    refused.push(`${incoming.method} ${host}${pathname}`);
    outgoing.writeHead(502).end("This test runtime reaches the scripted provider alone.");
    return;
  }
  const [hostname, port] = provider.split(":");
  const { connection: _, ...headers } = incoming.headers;
  const onward = outboundRequest(
    { hostname, port, method: incoming.method, path: pathname + search, headers, agent: false },
    (answer) => {
      outgoing.socket?.setNoDelay(true);
      outgoing.writeHead(answer.statusCode, answer.headers);
      outgoing.flushHeaders();
      answer.on("data", (bytes) => outgoing.write(bytes) || answer.pause());
      outgoing.on("drain", () => answer.resume());
      answer.on("end", () => outgoing.end());
      answer.on("error", () => outgoing.destroy());
    },
  );
  onward.on("error", () => outgoing.destroy());
  outgoing.on("close", () => onward.destroy());
  incoming.pipe(onward);
}
