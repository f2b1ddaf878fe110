// A phone: 375 pixels, a finger, and a sidebar that is a drawer.

import { complaints, expect, test } from "./fixtures.mjs";
import { button, composer, conversationId, expectAnswer, heading, open, question, questions } from "./page.mjs";

test.use({ viewport: { width: 375, height: 720 }, hasTouch: true, isMobile: true });

const drawer = (page) => page.getByRole("complementary", { name: "Conversations and pages" });
const menu = (page) => button(page, "Open the menu");

async function tapAway(page, message) {
  await composer(page).fill(message);
  await button(page, "Send").tap();
}

async function expectNoSidewaysScrolling(page) {
  const widths = await page.evaluate(() => {
    const wide = (element) =>
      element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== "visible";
    return {
      page: document.documentElement.scrollWidth,
      scrollers: [...document.querySelectorAll("main, [role=region], nav, dialog")]
        .filter(wide)
        .map(({ className }) => className),
    };
  });
  expect(widths).toEqual({ page: 375, scrollers: [] });
}

test("no page scrolls sideways", async ({ owner, play }) => {
  await expectNoSidewaysScrolling(owner);
  const answer = play({ text: `${"unbreakable".repeat(40)}\n\n${"let x = f(x); ".repeat(30)}` });
  await tapAway(owner, answer.message);
  await expectAnswer(owner, answer.text);
  const id = conversationId(owner);
  await expectNoSidewaysScrolling(owner);
  const gone = "/c/00000000-0000-4000-8000-000000000000";
  for (const path of ["/settings", "/settings/models", "/settings/memory", "/tasks", gone, `/c/${id}`]) {
    await open(owner, path);
    await expect(owner.getByRole("heading", { level: 1 })).toBeVisible();
    await expectNoSidewaysScrolling(owner);
  }
  await menu(owner).tap();
  await expectNoSidewaysScrolling(owner);
  await drawer(owner)
    .getByRole("button", { name: /^Delete / })
    .first()
    .tap();
  await expect(question(owner)).toBeVisible();
  await expectNoSidewaysScrolling(owner);
});

test("the signed-out pages do not scroll sideways", async ({ page, watch }) => {
  watch.expect(complaints.signedOut);
  for (const path of ["/", "/sign-in"]) {
    await page.goto(path);
    await expect(page.getByText("cargo xtask sign-in", { exact: true })).toBeVisible();
    await expectNoSidewaysScrolling(page);
  }
});

test("the drawer opens and closes, and the focus goes along", async ({ owner }) => {
  await expect(drawer(owner)).toBeHidden();
  await expect(menu(owner)).toHaveAttribute("aria-expanded", "false");
  await menu(owner).tap();
  await expect(drawer(owner)).toBeInViewport({ ratio: 1 });
  await expect(button(owner, "Close the menu")).toBeFocused();
  await button(owner, "Close the menu").tap();
  await expect(drawer(owner)).toBeHidden();
  await expect(menu(owner)).toBeFocused();
  await menu(owner).tap();
  await expect(button(owner, "Close the menu")).toBeFocused();
  await owner.keyboard.press("Escape");
  await expect(drawer(owner)).toBeHidden();
  await expect(menu(owner)).toBeFocused();
  await menu(owner).tap();
  await expect(drawer(owner)).toBeInViewport({ ratio: 1 });
  await owner.touchscreen.tap(365, 400);
  await expect(drawer(owner)).toBeHidden();
});

test("what is behind the open drawer cannot be reached", async ({ owner }) => {
  await menu(owner).tap();
  await expect(button(owner, "Close the menu")).toBeFocused();
  for (let steps = 0; steps < 12; steps += 1) {
    await owner.keyboard.press("Tab");
    expect(await owner.evaluate(() => document.querySelector("main").contains(document.activeElement))).toBe(false);
  }
});

test("a chat works with fingers alone", async ({ owner, play }) => {
  const answer = play({ text: "Warm and dry, with a light wind from the west.", chunks: 6, gateAfter: 3 });
  await tapAway(owner, answer.message);
  await expect(button(owner, "Stop")).toBeVisible();
  await answer.release();
  await expectAnswer(owner, answer.text);
  await expect(composer(owner)).toBeInViewport({ ratio: 1 });
  await menu(owner).tap();
  await drawer(owner).getByRole("link", { name: "Settings" }).tap();
  await expect(drawer(owner)).toBeHidden();
  await expect(heading(owner, "Settings")).toBeVisible();
  await menu(owner).tap();
  await drawer(owner)
    .getByRole("link", { name: /^script/ })
    .first()
    .tap();
  await expect(drawer(owner)).toBeHidden();
  await expectAnswer(owner, answer.text);
  await owner.getByRole("link", { name: "New chat" }).tap();
  await expect(heading(owner, "New chat")).toBeVisible();
});

test("Enter of a screen's keyboard breaks the line", async ({ owner }) => {
  await composer(owner).tap();
  await composer(owner).pressSequentially("One");
  await composer(owner).press("Enter");
  await composer(owner).pressSequentially("Two");
  await expect(composer(owner)).toHaveValue("One\nTwo");
  await expect(questions(owner)).toHaveCount(0);
  await button(owner, "Send").tap();
  await expectAnswer(owner, "You said: One\nTwo");
});

test("what is to be tapped is large enough for a finger", async ({ owner }) => {
  await tapAway(owner, "Fingers");
  await expectAnswer(owner, "You said: Fingers");
  await menu(owner).tap();
  await expect(drawer(owner)).toBeInViewport({ ratio: 1 });
  const small = await owner.evaluate(() =>
    [...document.querySelectorAll("button, a")]
      .filter(
        (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest("dialog:not([open])"),
      )
      .map((element) => ({ name: element.ariaLabel ?? element.textContent, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 40 || box.height < 40))
      .map(({ name, box }) => `${name}: ${Math.round(box.width)} by ${Math.round(box.height)}`),
  );
  expect(small).toEqual([]);
});
