// Commands in the composer, and the switch that keeps memory out of a conversation.

import { expect, test } from "./fixtures.mjs";
import {
  answers,
  begin,
  button,
  composer,
  converse,
  expectAnswer,
  expectIdle,
  expectToFit,
  expectWords,
  newChat,
  open,
  questions,
  reload,
  send,
} from "./page.mjs";

const commands = (page) => page.getByRole("listbox", { name: "Commands" });
const facts = (page) => page.getByRole("listbox", { name: "Facts to forget" });
const option = (list, name) => list.getByRole("option", { name });
const done = (page) => page.locator(".command-done");

const isMarked = (page, choice) =>
  expect(async () => {
    await expect(choice).toHaveAttribute("aria-selected", "true");
    await expect(composer(page)).toHaveAttribute("aria-activedescendant", await choice.getAttribute("id"));
  }).toPass();

test.describe("commands", () => {
  test("are completed and given by keyboard, and never reach the model", async ({ owner }) => {
    await composer(owner).focus();
    await owner.keyboard.type("/");
    await expect(commands(owner).getByRole("option")).toHaveCount(2);
    await isMarked(owner, option(commands(owner), /^\/remember/));
    await owner.keyboard.press("ArrowDown");
    await isMarked(owner, option(commands(owner), /^\/forget/));
    await owner.keyboard.press("ArrowUp");
    await owner.keyboard.press("Tab");
    await expect(composer(owner)).toHaveValue("/remember ");
    await expect(composer(owner)).toBeFocused();
    await expect(commands(owner)).toHaveCount(0);
    await owner.keyboard.type("Zebras are my favourite animals.");
    await owner.keyboard.press("Enter");
    await expect(done(owner)).toContainText("Remembered: Zebras are my favourite animals.");
    await expect(composer(owner)).toHaveValue("");
    await expect(composer(owner)).toBeFocused();
    await owner.keyboard.type("/forget zebras");
    await owner.keyboard.press("Enter");
    await isMarked(owner, option(facts(owner), "Zebras are my favourite animals."));
    await owner.keyboard.press("Enter");
    await expect(done(owner)).toContainText("Forgotten: Zebras are my favourite animals.");
    await expect(questions(owner)).toHaveCount(0);
    await expect(owner).toHaveURL("/");
  });

  test("can be taken back", async ({ owner }) => {
    await send(owner, "/remember Okapis are my favourite animals.");
    await button(done(owner), "Undo").click();
    await expect(done(owner)).toHaveCount(0);
    await expect(composer(owner)).toBeFocused();
    await send(owner, "/forget okapis");
    await expect(owner.getByRole("alert").filter({ hasText: "Nothing remembered was found" })).toBeVisible();
    await expect(composer(owner)).toHaveValue("/forget okapis");
  });

  test("are chosen with the mouse, and the focus stays in the field", async ({ owner }) => {
    await composer(owner).fill("/");
    await option(commands(owner), /^\/forget/).click();
    await expect(composer(owner)).toHaveValue("/forget ");
    await expect(composer(owner)).toBeFocused();
  });

  test("work while an answer runs, and Escape closes the menu before it stops the answer", async ({ owner, play }) => {
    const answer = play({ text: "A long story", chunks: 4, gateAfter: 2 });
    await begin(owner, answer.message);
    await expectWords(answers(owner), answer.after(2));
    await composer(owner).fill("/re");
    await expect(commands(owner)).toBeVisible();
    await owner.keyboard.press("Escape");
    await expect(commands(owner)).toHaveCount(0);
    await expect(button(owner, "Stop")).toBeVisible();
    await send(owner, "/remember Quaggas are extinct.");
    await expect(done(owner)).toContainText("Quaggas are extinct.");
    await answer.release();
    await expectAnswer(owner, answer.text);
    await expect(questions(owner)).toHaveCount(1);
    await expectIdle(owner);
  });

  test("are nothing but text when nobody knows them", async ({ owner }) => {
    await send(owner, "/dance please");
    await expectAnswer(owner, "You said: /dance please");
  });

  test("do not come in the way of an input method", async ({ owner }) => {
    await composer(owner).fill("/");
    await expect(commands(owner)).toBeVisible();
    await composer(owner).evaluate((field) => {
      for (const key of ["Enter", "ArrowDown", "Tab"]) {
        field.dispatchEvent(new KeyboardEvent("keydown", { key, isComposing: true, bubbles: true, cancelable: true }));
      }
    });
    await expect(composer(owner)).toHaveValue("/");
    await isMarked(owner, option(commands(owner), /^\/remember/));
  });

  test("that fail keep what was written and say why", async ({ owner }) => {
    await send(owner, `/remember ${"x".repeat(1_001)}`);
    await expect(owner.getByRole("alert").filter({ hasText: "too long" })).toBeVisible();
    await expect(composer(owner)).toHaveValue(/^\/remember x+$/);
  });
});

test.describe("memory in a conversation", () => {
  const fold = (page) => page.getByText("Memory in this conversation:");
  const toggle = (page) => page.getByRole("switch", { name: "Use memory in this conversation" });
  const unfold = async (page) => {
    await fold(page).locator("xpath=..").click();
    await expect(toggle(page)).toBeVisible();
  };

  test("is switched off for this one alone, and stays so", async ({ owner }) => {
    await converse(owner, "Memory: one");
    await unfold(owner);
    await expect(toggle(owner)).toBeChecked();
    await expect(toggle(owner)).toHaveAccessibleDescription(/remember nothing/);
    await toggle(owner).focus();
    await owner.keyboard.press("Space");
    await expect(toggle(owner)).not.toBeChecked();
    await reload(owner);
    await unfold(owner);
    await expect(toggle(owner)).not.toBeChecked();
    await newChat(owner);
    await converse(owner, "Memory: two");
    await unfold(owner);
    await expect(toggle(owner)).toBeChecked();
  });

  test("can be kept out from the first message on", async ({ owner }) => {
    await unfold(owner);
    await toggle(owner).click();
    await expect(toggle(owner)).not.toBeChecked();
    await converse(owner, "Memory: never");
    await unfold(owner);
    await expect(toggle(owner)).not.toBeChecked();
  });

  test("shows in a second tab", async ({ owner, context }) => {
    const id = await converse(owner, "Memory: tabs");
    await unfold(owner);
    await toggle(owner).click();
    await expect(toggle(owner)).not.toBeChecked();
    const second = await context.newPage();
    await open(second, `/c/${id}`);
    await unfold(second);
    await expect(toggle(second)).not.toBeChecked();
  });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 375, height: 720 }, hasTouch: true, isMobile: true });

  test("the menu and the switch fit and can be tapped", async ({ owner }) => {
    await composer(owner).fill("/");
    await expectToFit(owner);
    await option(commands(owner), /^\/remember/).tap();
    await expect(composer(owner)).toHaveValue("/remember ");
    await composer(owner).fill(`/remember ${"unbreakable".repeat(30)}`);
    await button(owner, "Send").tap();
    await expect(done(owner)).toContainText("unbreakable");
    await expectToFit(owner);
    await button(done(owner), "Undo").tap();
    await expect(done(owner)).toHaveCount(0);
  });
});
