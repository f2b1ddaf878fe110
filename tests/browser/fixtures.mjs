// What every browser test gets: a running installation, a page on which the owner is signed in, scripts for the provider,
// and a watch over everything that a browser complains about.

import { test as base, expect } from "@playwright/test";
import { randomUUID } from "node:crypto";
import { script, startInstallation } from "../host/installation.mjs";
import { signIn } from "./page.mjs";

export { expect };

/** Complaints of Chromium that tests cause on purpose. */
export const complaints = {
  /** The page asks whether the browser holds a session, and it does not. */
  signedOut: { text: /^Failed to load resource: .* 401 /, url: /\/api\/session$/ },
  /** The server does not take a sign-in link. */
  linkRefused: { text: /^Failed to load resource: .* 403 /, url: /\/sign-in$/ },
  /** The server is not there. */
  unreachable: { text: /^Failed to load resource: net::ERR_/, url: /\/api\/session$/ },
  socketLost: { text: /^WebSocket connection to '.*' failed: /, url: /./ },
};

/** Text of numbered marks, as the provider writes it when a script has none. */
export const marks = (count, bytes = 12) => {
  const mark = (index) => `${`#${String(index).padStart(6, "0")}`.padEnd(bytes - 1, ".")};`;
  return Array.from({ length: count }, (_, index) => mark(index)).join("");
};

export const test = base.extend({
  /** Which bundle runs: `fixture` has the tests' own tools. A file of tests chooses with `test.use`. */
  bundle: ["production", { option: true, scope: "worker" }],

  installation: [
    async ({ bundle }, use) => {
      const installation = await startInstallation(bundle);
      await use(installation);
      await installation.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],

  baseURL: ({ installation }, use) => use(installation.origin),

  /** Fails a test in which any page complained of something that the test does not expect. */
  watch: [
    async ({ context }, use) => {
      const seen = [];
      const expected = [];
      context.on("console", (message) => {
        if (["error", "warning", "assert"].includes(message.type())) {
          seen.push({ text: message.text(), url: message.location().url });
        }
      });
      context.on("weberror", (error) => seen.push({ text: `uncaught: ${error.error().stack}`, url: "" }));
      await context.addInitScript(() => {
        addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
          console.error(`policy violated: ${violatedDirective} by ${blockedURI}`);
        });
      });
      await use({ expect: (...some) => expected.push(...some) });
      const isExpected = ({ text, url }) => expected.some((known) => known.text.test(text) && known.url.test(url));
      expect(
        seen.filter((complaint) => !isExpected(complaint)),
        "the browser complained of nothing else",
      ).toEqual([]);
    },
    { auto: true },
  ],

  /** A page on which the owner has just signed in: a new chat. */
  owner: async ({ page, installation }, use) => {
    await signIn(page, await installation.signInLink());
    await use(page);
  },

  /**
   * Makes a script: the message that has it played, what will have been said after some pieces, its gate, and what the
   * provider saw of it.
   */
  play: async ({ installation }, use) => {
    await use((fields, label = randomUUID()) => {
      const pieces = fields.chunks ?? 3;
      const characters = fields.text === undefined ? undefined : [...fields.text];
      const after = (count) =>
        characters
          ? characters.slice(0, Math.floor((count * characters.length) / pieces)).join("")
          : marks(count, fields.bytes);
      return {
        message: script({ label, ...fields }),
        text: after(pieces),
        after,
        release: () => installation.release(label),
        exchanges: () => installation.exchanges(label),
        reports: () => installation.reports(label),
      };
    });
  },
});
