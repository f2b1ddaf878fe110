// Names in the address: back, forward, reload and a direct link do what one expects.

import { expect, test } from "./fixtures.mjs";
import {
  button,
  composer,
  converse,
  expectAnswer,
  heading,
  newChat,
  open,
  questions,
  reload,
  rowLink,
  words,
} from "./page.mjs";

test("back and forward go between conversations", async ({ owner }) => {
  const first = await converse(owner, "The first stop");
  await newChat(owner);
  const second = await converse(owner, "The second stop");
  await rowLink(owner, "The first stop").click();
  await expect(owner).toHaveURL(`/c/${first}`);
  await owner.goBack();
  await expect(owner).toHaveURL(`/c/${second}`);
  await expect(words(questions(owner))).toHaveText(["The second stop"]);
  await expect(owner).toHaveTitle("The second stop");
  await owner.goBack();
  await expect(owner).toHaveURL("/");
  await expect(heading(owner, "New chat")).toBeVisible();
  await expect(questions(owner)).toHaveCount(0);
  await owner.goBack();
  await expect(words(questions(owner))).toHaveText(["The first stop"]);
  await owner.goForward();
  await owner.goForward();
  await expect(owner).toHaveURL(`/c/${second}`);
  await expectAnswer(owner, "You said: The second stop");
});

test("a direct link opens its conversation", async ({ owner, context }) => {
  const id = await converse(owner, "Linked to");
  const second = await context.newPage();
  await open(second, `/c/${id}`);
  await expect(heading(second, "Linked to")).toBeVisible();
  await expectAnswer(second, "You said: Linked to");
  await expect(rowLink(second, "Linked to")).toHaveAttribute("aria-current", "page");
  await reload(second);
  await expectAnswer(second, "You said: Linked to");
});

test("an address of no conversation says so", async ({ owner }) => {
  await open(owner, "/c/00000000-0000-4000-8000-000000000000");
  await expect(owner.getByRole("heading", { name: "This conversation does not exist" })).toBeVisible();
  await expect(composer(owner)).toBeHidden();
  await owner.getByRole("link", { name: "Start a new chat" }).click();
  await expect(owner).toHaveURL("/");
  await converse(owner, "From nowhere");
});

test("every page has its title", async ({ owner }) => {
  for (const [path, title] of [
    ["/", "Flarebot"],
    ["/settings", "Settings · Flarebot"],
    ["/tasks", "Tasks · Flarebot"],
  ]) {
    await open(owner, path);
    await expect(owner).toHaveTitle(title);
  }
});

test("the pages are reached from the sidebar without loading anew", async ({ owner }) => {
  await owner.evaluate(() => (globalThis.sameDocument = true));
  await owner.getByRole("link", { name: "Tasks" }).click();
  await expect(heading(owner, "Tasks")).toBeFocused();
  await owner.getByRole("link", { name: "Settings" }).click();
  await expect(heading(owner, "Settings")).toBeFocused();
  await expect(owner).toHaveURL("/settings");
  await owner.getByRole("link", { name: "Security", exact: true }).click();
  await expect(button(owner, "Sign out")).toBeVisible();
  await newChat(owner);
  await expect(composer(owner)).toBeFocused();
  expect(await owner.evaluate(() => globalThis.sameDocument)).toBe(true);
});
