// Signing in by a link that works once, and signing out everywhere.

import { complaints, expect, test } from "./fixtures.mjs";
import { button, composer, converse, heading, open, signIn } from "./page.mjs";

const command = "cargo xtask sign-in";
const nobody = "00000000-0000-4000-8000-000000000000";

for (const path of ["/", `/c/${nobody}`, "/settings", "/tasks", "/sign-in"]) {
  test(`${path} says how to sign in`, async ({ page, watch }) => {
    watch.expect(complaints.signedOut);
    await page.goto(path);
    await expect(page.getByText(command, { exact: true })).toBeVisible();
    await expect(composer(page)).toBeHidden();
    await expect(page.getByRole("navigation")).toBeHidden();
  });
}

test("a link signs in and leaves no trace of itself in the address", async ({ page, context, installation }) => {
  const link = await installation.signInLink();
  const requests = [];
  context.on("request", (request) => requests.push(request.url()));
  await signIn(page, link);
  await expect(heading(page, "New chat")).toBeVisible();
  expect(await page.evaluate(() => location.href)).toBe(`${installation.origin}/`);
  const { hash } = new URL(link);
  expect(requests.filter((url) => url.includes(hash.slice(1, 40)) && !url.includes("#"))).toEqual([]);
  await page.reload();
  await expect(heading(page, "New chat")).toBeVisible();
  const cookies = await context.cookies();
  expect(cookies.map(({ httpOnly, secure, sameSite, path }) => ({ httpOnly, secure, sameSite, path }))).toEqual([
    { httpOnly: true, secure: true, sameSite: expect.stringMatching(/Lax|Strict/), path: "/" },
  ]);
});

test("a link works only once, and a used one says what to do", async ({ page, context, installation, watch }) => {
  watch.expect(complaints.linkRefused);
  const link = await installation.signInLink();
  await signIn(page, link);
  await context.clearCookies();
  const second = await context.newPage();
  await second.goto(link);
  await expect(second.getByRole("alert")).toHaveText(
    "This sign-in link has already been used. Run `cargo xtask sign-in` to get a new one.",
  );
  expect(new URL(second.url()).hash).toBe("");
  expect(await context.cookies()).toEqual([]);
});

test("a forged link is refused in one sentence", async ({ page, context, watch, installation }) => {
  watch.expect(complaints.linkRefused);
  await page.goto(`${await installation.signInLink()}x`);
  await expect(page.getByRole("alert")).toContainText("This is not a valid sign-in link of this installation.");
  await expect(page.getByText(command, { exact: true })).toBeVisible();
  expect(new URL(page.url()).hash).toBe("");
  expect(await context.cookies()).toEqual([]);
});

test("signing out reaches every tab and forgets the drafts", async ({ owner, context, installation, watch }) => {
  watch.expect(complaints.signedOut);
  const id = await converse(owner, "Private words");
  await composer(owner).fill("A private draft");
  const second = await context.newPage();
  await open(second, `/c/${id}`);
  await expect(second.getByText("You said: Private words")).toBeVisible();
  await owner.getByRole("link", { name: "Settings" }).click();
  await owner.getByRole("link", { name: "Security", exact: true }).click();
  await button(owner, "Sign out").click();
  for (const tab of [owner, second]) {
    await expect(heading(tab, "You are signed out")).toBeVisible();
    await expect(tab.getByText(command, { exact: true })).toBeVisible();
    await expect(tab.getByText("Private words")).toHaveCount(0);
  }
  expect(await owner.evaluate(() => Object.keys(localStorage))).toEqual([]);
  await second.reload();
  await expect(heading(second, "You are signed out")).toBeVisible();
  await signIn(owner, await installation.signInLink());
  await expect(owner.getByRole("link", { name: "Private words" })).toBeVisible();
});
