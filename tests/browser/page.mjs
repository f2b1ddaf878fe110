// The page as a person meets it: by role and name, never by how it is built.

import { expect } from "@playwright/test";

const CONVERSATION = /\/c\/([0-9a-f-]{36})$/;

export const composer = (page) => page.getByRole("textbox", { name: "Message", exact: true });
export const transcript = (page) => page.getByRole("region", { name: "Transcript" });
export const button = (page, name) => page.getByRole("button", { name, exact: true });
export const heading = (page, name) => page.getByRole("heading", { level: 1, name, exact: true });
export const conversations = (page) => page.getByRole("navigation", { name: "Conversations" });
export const question = (page) => page.getByRole("dialog", { name: "Delete this conversation?" });
export const connection = (page) => page.getByRole("status", { name: "Connection" });
export const announcer = (page) => page.getByTestId("announcer");

/** What the owner said, and what was answered, oldest first. */
export const questions = (page) => saidBy(page, "You");
export const answers = (page) => saidBy(page, "Flarebot");
const saidBy = (page, author) =>
  transcript(page)
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name: author, exact: true }) });

/** The words of a message, without what stands around them. */
export const words = (message) => message.locator(".text");

/** The row of a conversation in the sidebar, and its link. */
export const row = (page, name) =>
  conversations(page)
    .getByRole("listitem")
    .filter({ has: page.getByText(name, { exact: true }) });
export const rowLink = (page, name) => row(page, name).getByRole("link");

/** Opens a link that signs in, and waits for the new chat that it leads to. */
export async function signIn(page, link) {
  await Promise.all([connected(page), page.goto(link)]);
  await expect(page).toHaveURL("/");
}

/** Opens an address as the signed-in owner; resolves when the page is alive and connects. */
export async function open(page, path = "/") {
  await Promise.all([connected(page), page.goto(path)]);
}

/** Reloads; resolves when the page is alive again and connects. */
export async function reload(page) {
  await Promise.all([connected(page), page.reload()]);
}

// Only a page that has taken over the shell, and knows that the owner is signed in, opens a socket.
const connected = (page) => page.waitForEvent("websocket");

/** Writes a message and sends it with Enter. */
export async function send(page, text) {
  await composer(page).fill(text);
  await composer(page).press("Enter");
}

/** Goes to a new chat. */
export async function newChat(page) {
  await page.getByRole("link", { name: "New chat", exact: true }).click();
  await expect(heading(page, "New chat")).toBeVisible();
}

/** Starts a conversation in a new chat; resolves to its id, when it has its address. */
export async function begin(page, text) {
  await send(page, text);
  await expect(page).toHaveURL(CONVERSATION);
  return conversationId(page);
}

/** Starts a conversation that is named like its first message, with the provider's ordinary answer to that. */
export async function converse(page, text) {
  const id = await begin(page, text);
  await expectAnswer(page, `You said: ${text}`);
  return id;
}

/** The id in the address. */
export const conversationId = (page) => CONVERSATION.exec(new URL(page.url()).pathname)[1];

/** Waits until the newest answer is complete and says exactly `text`. */
export async function expectAnswer(page, text) {
  const answer = answers(page).last();
  await expect(answer).not.toHaveAttribute("aria-busy");
  await expectWords(answer, text);
}

/** Waits until a message says exactly `text`, white space included. */
export async function expectWords(message, text) {
  await expect
    .poll(() =>
      words(message)
        .allTextContents()
        .then((all) => all.join("")),
    )
    .toBe(text);
}

/** Waits until nothing is being answered. */
export async function expectIdle(page) {
  await expect(button(page, "Stop")).toBeHidden();
  await expect(button(page, "Send")).toBeVisible();
}

/** How far the transcript is scrolled, and how far it is from its end, in pixels. */
export const scroll = (page) =>
  transcript(page).evaluate(({ scrollTop, scrollHeight, clientHeight }) => ({
    top: scrollTop,
    toEnd: scrollHeight - clientHeight - scrollTop,
  }));

/** On a phone, nothing scrolls sideways, and what is to be tapped is large enough for a finger. */
export async function expectToFit(page) {
  const seen = await page.evaluate(() => ({
    width: document.documentElement.scrollWidth,
    small: [...document.querySelectorAll("main button, main a, dialog[open] button")]
      .map((element) => ({ name: element.textContent, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 40 || box.height < 40))
      .map(({ name }) => name),
    wide: [...document.querySelectorAll("main, dialog[open]")]
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .map(({ className }) => className),
  }));
  expect(seen).toEqual({ width: 375, small: [], wide: [] });
}
