// The first chat, and how a message is written and sent.

import { expect, test } from "./fixtures.mjs";
import {
  announcer,
  answers,
  begin,
  button,
  composer,
  converse,
  expectAnswer,
  expectIdle,
  expectWords,
  heading,
  newChat,
  questions,
  rowLink,
  send,
  words,
} from "./page.mjs";

test("a new chat offers three starters, which fill the composer", async ({ owner }) => {
  const starters = owner.getByRole("list", { name: "Suggestions" }).getByRole("button");
  await expect(starters).toHaveCount(3);
  await starters.first().click();
  await expect(composer(owner)).not.toHaveValue("");
  await expect(composer(owner)).toBeFocused();
  await expect(owner).toHaveURL("/");
});

test("the first message makes a conversation with an address, a name and a streamed answer", async ({
  owner,
  play,
}) => {
  const answer = play({ text: "The sea is blue because it absorbs red light.", chunks: 9, gateAfter: 4 });
  await composer(owner).fill(answer.message);
  await composer(owner).press("Enter");
  await expect(owner).toHaveURL(/\/c\/[0-9a-f-]{36}$/);
  await expect(composer(owner)).toHaveValue("");
  await expectWords(questions(owner), answer.message);
  await expectWords(answers(owner), answer.after(4));
  const current = owner.getByRole("navigation", { name: "Conversations" }).locator("[aria-current=page]");
  await expect(current).toContainText("script");
  await expect(current).toContainText("answering");
  await answer.release();
  await expectAnswer(owner, answer.text);
  await expect(current).not.toContainText("answering");
  await expectIdle(owner);
  await expect(announcer(owner)).toHaveText("Answer complete");
  await expect(owner.getByRole("list", { name: "Suggestions" })).toBeHidden();
});

test("a conversation is called like its first message, in the sidebar, the heading and the tab", async ({ owner }) => {
  const name = "How deep is Lake Constance?";
  await converse(owner, name);
  await expect(rowLink(owner, name)).toHaveAttribute("aria-current", "page");
  await expect(heading(owner, name)).toBeVisible();
  await expect(owner).toHaveTitle(name);
});

test("a conversation goes on, and the model is given what was said before", async ({ owner, play }) => {
  await converse(owner, "My cat is called Minka");
  const next = play({ text: "She is called Minka." });
  await send(owner, next.message);
  await expectAnswer(owner, next.text);
  await expect(questions(owner)).toHaveCount(2);
  await expect(answers(owner)).toHaveCount(2);
  const [exchange] = await next.exchanges();
  expect(exchange.conversation.map(([role, text]) => [role, text])).toEqual([
    ["u", "My cat is called Minka"],
    ["a", "You said: My cat is called Minka"],
    ["u", next.message],
  ]);
});

test("Shift and Enter break the line, Enter alone sends", async ({ owner }) => {
  await composer(owner).pressSequentially("First line");
  await composer(owner).press("Shift+Enter");
  await composer(owner).pressSequentially("Second line");
  await expect(composer(owner)).toHaveValue("First line\nSecond line");
  await expect(owner).toHaveURL("/");
  await composer(owner).press("Enter");
  await expectWords(questions(owner), "First line\nSecond line");
  await expectAnswer(owner, "You said: First line\nSecond line");
});

test("Enter within a composition never sends", async ({ owner, context }) => {
  const input = await context.newCDPSession(owner);
  await composer(owner).focus();
  await input.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 });
  await expect(composer(owner)).toHaveValue("にほん");
  await composer(owner).evaluate((field) => {
    field.addEventListener("keydown", (event) => (field.dataset.composing = event.isComposing), { once: true });
  });
  await owner.keyboard.press("Enter");
  await expect(composer(owner)).toHaveAttribute("data-composing", "true");
  await expect(owner).toHaveURL("/");
  await expect(questions(owner)).toHaveCount(0);
  await input.send("Input.imeSetComposition", { text: "", selectionStart: 0, selectionEnd: 0 });
  await composer(owner).fill("日本");
  await composer(owner).press("Enter");
  await expectAnswer(owner, "You said: 日本");
});

test("Enter with the key code of an input method never sends", async ({ owner }) => {
  await composer(owner).fill("にほん");
  await composer(owner).evaluate((field) => {
    const press = { key: "Enter", code: "Enter", keyCode: 229, bubbles: true, cancelable: true };
    field.dispatchEvent(new KeyboardEvent("keydown", press));
    field.dispatchEvent(new KeyboardEvent("keydown", { ...press, keyCode: 13, isComposing: true }));
  });
  await expect(composer(owner)).toHaveValue("にほん");
  await expect(owner).toHaveURL("/");
  await expect(questions(owner)).toHaveCount(0);
});

test("nothing is sent that says nothing", async ({ owner }) => {
  await expect(button(owner, "Send")).toBeDisabled();
  await composer(owner).fill(" \n ");
  await expect(button(owner, "Send")).toBeDisabled();
  await composer(owner).press("Enter");
  await expect(owner).toHaveURL("/");
  await composer(owner).fill("Words");
  await expect(button(owner, "Send")).toBeEnabled();
  await button(owner, "Send").click();
  await expectAnswer(owner, "You said: Words");
});

test("the composer grows with its text up to a limit", async ({ owner }) => {
  const height = async () => (await composer(owner).boundingBox()).height;
  const small = await height();
  await composer(owner).fill("One\nTwo\nThree");
  await expect.poll(height).toBeGreaterThan(small * 2);
  await composer(owner).fill("Line\n".repeat(100));
  await expect(button(owner, "Send")).toBeInViewport();
  await composer(owner).fill("");
  await expect.poll(height).toBe(small);
});

test("whatever anybody writes is text, never markup", async ({ owner, play }) => {
  const markup = "<img src=x onerror=\"document.title='taken'\"><script>document.title='taken'</script><b>bold</b>";
  const answer = play({ text: markup });
  await converse(owner, markup);
  await send(owner, answer.message);
  await expectAnswer(owner, markup);
  await expect(owner.getByRole("main").locator("img, script, b")).toHaveCount(0);
  await expect(owner).not.toHaveTitle("taken");
});

test("reasoning is folded away, and can be read", async ({ owner, play }) => {
  const answer = play({ text: "Four.", reasoning: "Two and two make four.", gateAfter: 0 });
  await begin(owner, answer.message);
  await expect(answers(owner).getByText("Thinking…")).toBeVisible();
  await answer.release();
  const reasoning = answers(owner).getByText("Two and two make four.");
  await expect(answers(owner).getByText("Four.", { exact: true })).toBeVisible();
  await expect(reasoning).toBeHidden();
  await answers(owner).getByText("Reasoning").click();
  await expect(reasoning).toBeVisible();
});

test("a message can be copied", async ({ owner, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await converse(owner, "Copy me");
  await answers(owner).hover();
  await answers(owner).getByRole("button", { name: "Copy this message" }).click();
  await expect(announcer(owner)).toHaveText("Copied");
  expect(await owner.evaluate(() => navigator.clipboard.readText())).toBe("You said: Copy me");
});

test("two new chats are two conversations", async ({ owner }) => {
  const first = await converse(owner, "First of two");
  await newChat(owner);
  await expect(questions(owner)).toHaveCount(0);
  const second = await converse(owner, "Second of two");
  expect(second).not.toBe(first);
  await rowLink(owner, "First of two").click();
  await expect(words(questions(owner))).toHaveText(["First of two"]);
});
