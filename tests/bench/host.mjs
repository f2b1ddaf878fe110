// One measured system as a process: the bare pass-throughs, the product's bundle or the peer, all in the same local
// runtime. Takes its options as one JSON argument, prints one line when it is ready, and stops when its standard input
// ends. Unlike in the tests, requests to the provider go straight to the network: a leg through Node would cost every
// system the same and make the differences look small.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Log, LogLevel, Miniflare } from "miniflare";
import { bundledWorker, environment, manifest } from "../host/runtime.mjs";

const folder = fileURLToPath(new URL("./", import.meta.url));
const { system, storage, port, variables, peer, countRows } = JSON.parse(process.argv[2]);

const worker = { bare, product, peer: thePeer };

async function module(file) {
  return { type: "esm", contents: await readFile(file, "utf8") };
}

async function bare() {
  return {
    name: "bare",
    compatibilityDate: "2026-11-17",
    manifest: {
      mainModule: "bare.mjs",
      modulesRoot: folder,
      modules: { "bare.mjs": await module(path.join(folder, "bare.mjs")) },
    },
    env: { ...environment(variables), BARE: { type: "durable-object", worker: "bare", exportName: "Bare" } },
    exports: { Bare: { type: "durable-object", storage: "sqlite" } },
  };
}

async function product() {
  const bundled = await bundledWorker("production", variables);
  if (!countRows) return bundled;
  const modules = { ...bundled.manifest.modules, "counting.mjs": await module(path.join(folder, "counting.mjs")) };
  return { ...bundled, manifest: { ...bundled.manifest, mainModule: "counting.mjs", modules } };
}

async function thePeer() {
  return {
    name: "peer",
    compatibilityDate: "2026-11-17",
    compatibilityFlags: ["nodejs_compat"],
    manifest: await manifest(path.join(peer, "app/dist"), "server.js"),
    env: {
      ...environment({ ...variables, COUNT_ROWS: countRows ? "1" : "" }),
      Chat: { type: "durable-object", worker: "peer", exportName: "Chat" },
      Bare: { type: "durable-object", worker: "peer", exportName: "Bare" },
    },
    exports: {
      Chat: { type: "durable-object", storage: "sqlite" },
      Bare: { type: "durable-object", storage: "sqlite" },
    },
  };
}

const runtime = new Miniflare({
  host: "127.0.0.1",
  port,
  resourcePersistencePath: storage,
  telemetry: { enabled: false },
  enableDevRegistry: false,
  cf: false,
  log: new Log(LogLevel.WARN),
  handleStructuredLogs: ({ level, message }) => process.stderr.write(`[${level}] ${message}\n`),
  workers: [{ config: await worker[system]() }],
});
await runtime.ready;
process.stdout.write("ready\n");

process.stdin.resume();
process.stdin.on("end", async () => {
  await runtime.dispose();
  process.exit();
});
