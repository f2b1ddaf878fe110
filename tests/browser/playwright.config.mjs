// The release bundle in a real Chromium. Each worker has an installation of its own; see fixtures.mjs.

import { defineConfig } from "@playwright/test";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export default defineConfig({
  testDir: ".",
  // The picture of the README is made on demand; it is no test.
  testIgnore: process.env.FLAREBOT_SCREENSHOT ? [] : ["picture.spec.mjs"],
  outputDir: "../../target/browser",
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  reporter: "list",
  // Machines that run this are small and shared. What is slow is waited for; what is wrong fails all the same.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: {
    browserName: "chromium",
    headless: true,
    launchOptions: { executablePath: process.env.FLAREBOT_CHROMIUM ?? "/usr/bin/chromium", args: flags },
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    colorScheme: "light",
    screenshot: "only-on-failure",
  },
});
