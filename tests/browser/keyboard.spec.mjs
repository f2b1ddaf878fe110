// Everything by keyboard, with a focus that can be seen at every step.

import { expect, test } from "./fixtures.mjs";
import {
  answers,
  button,
  composer,
  converse,
  expectAnswer,
  expectIdle,
  expectWords,
  heading,
  question,
  row,
  rowLink,
  scroll,
  transcript,
} from "./page.mjs";

test.beforeEach(({ page }) => {
  // Nobody has a mouse here.
  page.mouse.move = page.mouse.click = page.mouse.down = () => Promise.reject(new Error("no mouse in this test"));
});

/** Presses Tab, or Shift and Tab, until `target` has the focus; every stop on the way must be visible. */
async function tabTo(page, target, key = "Tab") {
  for (let steps = 0; steps < 80; steps += 1) {
    await page.keyboard.press(key);
    await expectVisibleFocus(page);
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`${target} is not reached by ${key}`);
}

/** The focused element has an outline, or, in a field, its frame shows the focus; and it is on the screen. */
async function expectVisibleFocus(page) {
  const shown = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      // Between the last and the first stop the browser's own controls have the focus.
      if (element === document.body) return "";
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      const frame = element.closest(".field");
      const isFramed = frame !== null && getComputedStyle(frame).boxShadow.includes("0px 0px 0px 3px");
      const box = element.getBoundingClientRect();
      const isOnScreen = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
      const hasOutline = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2;
      const name = element.ariaLabel ?? element.textContent;
      if (!isOnScreen) return `off the screen: ${name}`;
      return hasOutline || isFramed ? "" : `no visible focus: ${element.tagName} ${name}`;
    });
  await expect.poll(shown).toBe("");
}

test("a whole chat, from the top of the page", async ({ owner, play }) => {
  await owner.evaluate(() => document.activeElement.blur());
  await tabTo(owner, owner.getByRole("link", { name: "Skip to content" }));
  await owner.keyboard.press("Enter");
  await tabTo(owner, composer(owner));
  const answer = play({ text: "By keyboard alone", chunks: 4, gateAfter: 2 });
  await owner.keyboard.insertText(answer.message);
  await owner.keyboard.press("Enter");
  await expectWords(answers(owner), answer.after(2));
  await expect(composer(owner)).toBeFocused();
  await tabTo(owner, button(owner, "Stop"));
  await owner.keyboard.press("Enter");
  await expect(answers(owner).getByText("You stopped this answer.")).toBeVisible();
  await expectIdle(owner);
  await expect(composer(owner)).toBeFocused();
  await owner.keyboard.insertText("With the button");
  await tabTo(owner, button(owner, "Send"));
  await owner.keyboard.press("Space");
  await expectAnswer(owner, "You said: With the button");
  await tabTo(owner, owner.getByRole("link", { name: "New chat", exact: true }));
  await owner.keyboard.press("Enter");
  await expect(heading(owner, "New chat")).toBeVisible();
  await expect(composer(owner)).toBeFocused();
});

test("the shortcut begins a new chat", async ({ owner }) => {
  await converse(owner, "Shortcut");
  await owner.keyboard.press("Control+Shift+O");
  await expect(heading(owner, "New chat")).toBeVisible();
  await expect(composer(owner)).toBeFocused();
});

test("a conversation is opened, renamed and deleted", async ({ owner }) => {
  await converse(owner, "Keys: one");
  await owner.keyboard.press("Control+Shift+O");
  await converse(owner, "Keys: two");
  await tabTo(owner, rowLink(owner, "Keys: one"), "Shift+Tab");
  await owner.keyboard.press("Enter");
  await expect(heading(owner, "Keys: one")).toBeVisible();
  await expect(composer(owner)).toBeFocused();
  const rename = row(owner, "Keys: one").getByRole("button", { name: "Rename Keys: one" });
  await tabTo(owner, rename, "Shift+Tab");
  await expect(rename).toHaveCSS("opacity", "1");
  await owner.keyboard.press("Enter");
  await expect(owner.getByRole("textbox", { name: "New name" })).toBeFocused();
  await expectVisibleFocus(owner);
  await owner.keyboard.insertText("Keys: renamed");
  await owner.keyboard.press("Enter");
  await expect(heading(owner, "Keys: renamed")).toBeVisible();
  const remove = row(owner, "Keys: renamed").getByRole("button", { name: "Delete Keys: renamed" });
  await tabTo(owner, remove);
  await owner.keyboard.press("Enter");
  await expect(question(owner)).toBeVisible();
  await expect(button(owner, "Cancel")).toBeFocused();
  await expectVisibleFocus(owner);
  await owner.keyboard.press("Escape");
  await expect(question(owner)).toBeHidden();
  await expect(remove).toBeFocused();
  await owner.keyboard.press("Enter");
  await tabTo(owner, button(owner, "Delete"));
  await owner.keyboard.press("Enter");
  await expect(question(owner)).toBeHidden();
  await expect(rowLink(owner, "Keys: renamed")).toHaveCount(0);
  await expect(heading(owner, "New chat")).toBeVisible();
});

test("the question keeps the focus until it is answered", async ({ owner }) => {
  await converse(owner, "Keys: trap");
  const remove = row(owner, "Keys: trap").getByRole("button", { name: "Delete Keys: trap" });
  await tabTo(owner, remove, "Shift+Tab");
  await owner.keyboard.press("Enter");
  await expect(button(owner, "Cancel")).toBeFocused();
  for (let steps = 0; steps < 6; steps += 1) {
    await owner.keyboard.press("Tab");
    const where = await owner.evaluate(() => document.activeElement.closest("dialog, body").tagName);
    const isOutside = where !== "DIALOG" && (await owner.evaluate(() => document.activeElement !== document.body));
    expect(isOutside).toBe(false);
  }
});

test("a long answer is scrolled by keyboard", async ({ owner, play }) => {
  const answer = play({ chunks: 60, bytes: 200 });
  await composer(owner).fill(answer.message);
  await owner.keyboard.press("Enter");
  await expectAnswer(owner, answer.text);
  await tabTo(owner, transcript(owner), "Shift+Tab");
  const toEnd = async () => (await scroll(owner)).toEnd;
  await owner.keyboard.press("End");
  await expect.poll(toEnd).toBeLessThan(2);
  await owner.keyboard.press("PageUp");
  await expect.poll(toEnd).toBeGreaterThan(200);
  await expect(button(owner, "Jump to the end")).toBeVisible();
  await owner.keyboard.press("End");
  await expect.poll(toEnd).toBeLessThan(2);
  await expect(button(owner, "Jump to the end")).toBeHidden();
});

test("every page but the chat is used by keyboard too", async ({ owner }) => {
  await tabTo(owner, owner.getByRole("link", { name: "Settings" }));
  await owner.keyboard.press("Enter");
  await expect(heading(owner, "Settings")).toBeFocused();
  await tabTo(owner, owner.getByRole("link", { name: "Security", exact: true }));
  await owner.keyboard.press("Enter");
  await expect(owner.getByRole("heading", { name: "Security", level: 2 })).toBeFocused();
  await tabTo(owner, button(owner, "Sign out"));
});
