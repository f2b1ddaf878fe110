// A running installation for suites in JavaScript: the Rust harness as a process, asked by lines.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const checkout = fileURLToPath(new URL("../../", import.meta.url));

/** The message that makes the provider play a script; its fields are those of `Script` in the harness. */
export const script = (fields) => `script ${JSON.stringify(fields)}`;

/**
 * Starts an installation on empty storage, of the release bundle (`production`) or of the one with the tests' own tools
 * (`fixture`). `FLAREBOT_INSTALLATION` names the built program; without it, cargo runs it. `server`, as `host:port`,
 * answers instead of the scripted provider.
 */
export async function startInstallation(bundle = "production", server = undefined) {
  const program = process.env.FLAREBOT_INSTALLATION;
  const [command, ...parameters] = program
    ? [program]
    : ["cargo", "run", "--quiet", "--package", "flarebot-tests", "--bin", "installation", "--"];
  const child = spawn(command, [...parameters, bundle, ...(server ? [server] : [])], { cwd: checkout, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the installation went away");
    return JSON.parse(value);
  };
  const { origin } = await nextLine();
  let last = Promise.resolve();
  const ask = (request) => {
    last = last.then(() => {
      child.stdin.write(`${request}\n`);
      return nextLine();
    });
    return last;
  };
  return {
    origin,
    /** A `Cookie` header of the owner. */
    cookie: () => ask("cookie"),
    /** A sign-in link that works once. */
    signInLink: () => ask("sign-in"),
    /** Kills the runtime at once and starts it again on the same storage. */
    restart: () => ask("restart"),
    /** Opens the gate of a script. */
    release: (label) => ask(`release ${label}`),
    /** Puts a page of the web at an address under `.example`: `page.example/path`. */
    putPage: (address, html) => ask(`page ${address} ${html.replaceAll("\n", " ")}`),
    /** Where the fixture's tools report under a label, and what they have reported: `begun` and `ended`. */
    reportUrl: (label) => ask(`report-url ${label}`),
    reports: (label) => ask(`reports ${label}`),
    /** What the provider was asked under a label, and how it ended. */
    exchanges: (label) => ask(`exchanges ${label}`),
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.stdin.end();
      await ended;
    },
  };
}
