// The browser takes over what the server rendered, on every page, without a complaint.

import { complaints, expect, test } from "./fixtures.mjs";
import { composer, converse, heading, open } from "./page.mjs";

const nobody = "00000000-0000-4000-8000-000000000000";

for (const path of ["/", `/c/${nobody}`, "/settings", "/tasks"]) {
  test(`the shell of ${path} comes alive for somebody who is signed out`, async ({ page, watch }) => {
    watch.expect(complaints.signedOut);
    const response = await page.goto(path);
    expect(response.status()).toBe(200);
    await expect(heading(page, "You are signed out")).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("lang", "en");
  });
}

test("the shell of /sign-in comes alive without a link", async ({ page }) => {
  await page.goto("/sign-in");
  await expect(heading(page, "Sign in")).toBeVisible();
  await expect(page.getByText("cargo xtask sign-in")).toBeVisible();
});

for (const [path, title] of [
  ["/", "New chat"],
  ["/settings", "Settings"],
  ["/tasks", "Tasks"],
]) {
  test(`the shell of ${path} comes alive for the owner`, async ({ owner }) => {
    await open(owner, path);
    await expect(heading(owner, title)).toBeVisible();
    await expect(owner.getByRole("navigation", { name: "Conversations" })).toBeVisible();
  });
}

test("the shell of a conversation comes alive for the owner", async ({ owner }) => {
  const id = await converse(owner, "Wake up");
  await open(owner, `/c/${id}`);
  await expect(heading(owner, "Wake up")).toBeVisible();
  await expect(owner.getByText("You said: Wake up")).toBeVisible();
});

test("what is typed before the page is alive is kept", async ({ owner }) => {
  let letGo;
  const held = new Promise((resolve) => (letGo = resolve));
  await owner.route(/\.wasm$/, async (route) => {
    await held;
    await route.continue();
  });
  await owner.goto("/", { waitUntil: "commit" });
  await composer(owner).fill("Written early");
  const alive = owner.waitForEvent("websocket");
  letGo();
  await alive;
  await expect(composer(owner)).toHaveValue("Written early");
  await composer(owner).press("Enter");
  await expect(owner.getByText("You said: Written early")).toBeVisible();
});

test("the policy of a page allows nothing inline and no foreign origin", async ({ page, watch }) => {
  watch.expect(complaints.signedOut);
  const policy = (await page.goto("/")).headers()["content-security-policy"];
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain("unsafe-inline");
  expect(policy).not.toContain("'unsafe-eval'");
  expect(policy).not.toMatch(/https?:|\*/);
});
