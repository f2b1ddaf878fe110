// The list of conversations: its order, other names, and deleting with a question.

import { expect, test } from "./fixtures.mjs";
import {
  button,
  composer,
  conversations,
  converse,
  expectAnswer,
  heading,
  newChat,
  open,
  question,
  row,
  rowLink,
  send,
} from "./page.mjs";

const rename = (page, name) => row(page, name).getByRole("button", { name: `Rename ${name}` });
const remove = (page, name) => row(page, name).getByRole("button", { name: `Delete ${name}` });
const nameField = (page) => page.getByRole("textbox", { name: "New name" });

test("the latest activity comes first", async ({ owner }) => {
  await converse(owner, "Order: older");
  await newChat(owner);
  await converse(owner, "Order: newer");
  const names = conversations(owner).getByRole("link", { name: /^Order: / });
  await expect(names).toHaveText(["Order: newer", "Order: older"]);
  await rowLink(owner, "Order: older").click();
  await expectAnswer(owner, "You said: Order: older");
  await send(owner, "Once more");
  await expectAnswer(owner, "You said: Once more");
  await expect(names).toHaveText(["Order: older", "Order: newer"]);
});

test("Enter gives a conversation its new name, in every tab", async ({ owner, context }) => {
  const id = await converse(owner, "Name to change");
  const second = await context.newPage();
  await open(second, `/c/${id}`);
  await expect(heading(second, "Name to change")).toBeVisible();
  await row(owner, "Name to change").hover();
  await rename(owner, "Name to change").click();
  await expect(nameField(owner)).toBeFocused();
  await expect(nameField(owner)).toHaveValue("Name to change");
  await nameField(owner).fill("  Changed name ");
  await nameField(owner).press("Enter");
  for (const tab of [owner, second]) {
    await expect(rowLink(tab, "Changed name")).toBeVisible();
    await expect(heading(tab, "Changed name")).toBeVisible();
    await expect(tab).toHaveTitle("Changed name");
    await expect(rowLink(tab, "Name to change")).toHaveCount(0);
  }
  await expect(rename(owner, "Changed name")).toBeFocused();
  await owner.reload();
  await expect(heading(owner, "Changed name")).toBeVisible();
});

test("Escape leaves the name as it was", async ({ owner }) => {
  await converse(owner, "Name to keep");
  await row(owner, "Name to keep").hover();
  await rename(owner, "Name to keep").click();
  await nameField(owner).fill("Something else");
  await nameField(owner).press("Escape");
  await expect(nameField(owner)).toBeHidden();
  await expect(rowLink(owner, "Name to keep")).toBeVisible();
  await expect(rename(owner, "Name to keep")).toBeFocused();
  await expect(conversations(owner).getByText("Something else")).toHaveCount(0);
});

test("a name that says nothing is refused in words", async ({ owner }) => {
  await converse(owner, "Name to defend");
  await row(owner, "Name to defend").hover();
  await rename(owner, "Name to defend").click();
  await nameField(owner).fill("   ");
  await button(owner, "Save the name").click();
  await expect(conversations(owner).getByRole("alert")).toHaveText("Give the conversation a name that is not blank.");
  await expect(nameField(owner)).toHaveAttribute("aria-invalid", "true");
  await button(owner, "Keep the old name").click();
  await expect(rowLink(owner, "Name to defend")).toBeVisible();
});

test("deleting asks first, and keeping keeps", async ({ owner }) => {
  await converse(owner, "Almost deleted");
  for (const keep of [() => button(owner, "Cancel").click(), () => owner.keyboard.press("Escape")]) {
    await row(owner, "Almost deleted").hover();
    await remove(owner, "Almost deleted").click();
    await expect(question(owner)).toBeVisible();
    await expect(question(owner)).toContainText("Almost deleted");
    await expect(button(owner, "Cancel")).toBeFocused();
    await keep();
    await expect(question(owner)).toBeHidden();
    await expect(remove(owner, "Almost deleted")).toBeFocused();
  }
  await expect(rowLink(owner, "Almost deleted")).toBeVisible();
});

test("the question can be asked again in the moment after Escape", async ({ owner }) => {
  await converse(owner, "Asked twice");
  await row(owner, "Asked twice").hover();
  await remove(owner, "Asked twice").click();
  await expect(question(owner)).toBeVisible();
  // A busy browser hears of the next key before it reports that the question was closed.
  await question(owner).evaluate((dialog) => {
    dialog.requestClose();
    document.activeElement.click();
  });
  await owner.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  await expect(question(owner)).toBeVisible();
  await button(owner, "Cancel").click();
  await expect(question(owner)).toBeHidden();
});

test("a deleted conversation is gone here, and another tab that has it open says so", async ({ owner, context }) => {
  const id = await converse(owner, "To be deleted");
  const second = await context.newPage();
  await open(second, `/c/${id}`);
  await expectAnswer(second, "You said: To be deleted");
  await composer(second).fill("Written before it went");
  await row(owner, "To be deleted").hover();
  await remove(owner, "To be deleted").click();
  await button(owner, "Delete").click();
  await expect(question(owner)).toBeHidden();
  await expect(owner).toHaveURL("/");
  await expect(heading(owner, "New chat")).toBeVisible();
  await expect(composer(owner)).toBeFocused();
  await expect(second.getByRole("heading", { name: "This conversation does not exist" })).toBeVisible();
  await expect(second.getByText("You said: To be deleted")).toHaveCount(0);
  await expect(composer(second)).toBeHidden();
  for (const tab of [owner, second]) await expect(rowLink(tab, "To be deleted")).toHaveCount(0);
  await second.getByRole("link", { name: "Start a new chat" }).click();
  await expect(composer(second)).toHaveValue("Written before it went");
  await second.goto(`/c/${id}`);
  await expect(second.getByRole("heading", { name: "This conversation does not exist" })).toBeVisible();
});

test("deleting another conversation leaves the open one alone", async ({ owner }) => {
  await converse(owner, "Bystander to delete");
  await newChat(owner);
  const id = await converse(owner, "Still open");
  await row(owner, "Bystander to delete").hover();
  await remove(owner, "Bystander to delete").click();
  await button(owner, "Delete").click();
  await expect(rowLink(owner, "Bystander to delete")).toHaveCount(0);
  await expect(owner).toHaveURL(`/c/${id}`);
  await expectAnswer(owner, "You said: Still open");
  // The row is gone, and the focus is where it was: the next stop is in the list.
  await owner.keyboard.press("Tab");
  await expect(conversations(owner).locator(":focus")).toHaveCount(1);
});

test("a conversation can be deleted while it is answering", async ({ owner, play }) => {
  const answer = play({ chunks: 8, gateAfter: 3 });
  await send(owner, answer.message);
  await expect(button(owner, "Stop")).toBeVisible();
  const current = conversations(owner)
    .getByRole("listitem")
    .filter({ has: owner.locator("[aria-current=page]") });
  const address = await current.getByRole("link").getAttribute("href");
  await current.hover();
  await current.getByRole("button", { name: /^Delete / }).click();
  await button(owner, "Delete").click();
  await expect(owner).toHaveURL("/");
  await expect(owner.locator(`a[href="${address}"]`)).toHaveCount(0);
  await converse(owner, "Life goes on");
});
