// What a screen reader is told, and what the system's choices change.

import { expect, test } from "./fixtures.mjs";
import {
  announcer,
  answers,
  begin,
  button,
  converse,
  expectWords,
  newChat,
  open,
  question,
  row,
  send,
} from "./page.mjs";

const background = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);

/** The roles and names of everything that can be used. */
async function controls(page) {
  const accessibility = await page.context().newCDPSession(page);
  const { nodes } = await accessibility.send("Accessibility.getFullAXTree");
  await accessibility.detach();
  const roles = ["button", "link", "textbox", "combobox", "checkbox", "dialog", "navigation", "complementary"];
  return nodes
    .filter(({ ignored, role }) => !ignored && roles.includes(role?.value))
    .map(({ role, name }) => ({ role: role.value, name: name?.value ?? "" }));
}

test("every control and landmark has a name", async ({ owner }) => {
  await converse(owner, "Name everything");
  for (const path of ["/", "/settings", "/settings/models", "/tasks", new URL(owner.url()).pathname]) {
    await open(owner, path);
    await expect(owner.getByRole("link", { name: "Name everything" })).toBeVisible();
    const all = await controls(owner);
    expect(all.length).toBeGreaterThan(4);
    expect(all.filter(({ name }) => name.trim() === "")).toEqual([]);
  }
  await row(owner, "Name everything").hover();
  await owner.getByRole("button", { name: "Delete Name everything" }).click();
  await expect(question(owner)).toHaveAccessibleDescription(/gone for good/);
});

test("the page has its landmarks, one main heading, and a language", async ({ owner }) => {
  await expect(owner.locator("html")).toHaveAttribute("lang", "en");
  for (const path of ["/", "/settings", "/tasks"]) {
    await open(owner, path);
    await expect(owner.getByRole("main")).toHaveCount(1);
    await expect(owner.getByRole("navigation", { name: "Conversations" })).toBeVisible();
    await expect(owner.getByRole("navigation", { name: "Pages" })).toBeVisible();
    await expect(owner.getByRole("heading", { level: 1 })).toHaveCount(1);
  }
});

test("a screen reader hears the end of an answer, not each of its words", async ({ owner, play }) => {
  const answer = play({ chunks: 6, gateAfter: 3 });
  await begin(owner, answer.message);
  await expectWords(answers(owner), answer.after(3));
  await expect(answers(owner)).toHaveAttribute("aria-busy", "true");
  await expect(announcer(owner)).toHaveAttribute("aria-live", "polite");
  await expect(announcer(owner)).toHaveText("");
  expect(
    await answers(owner).evaluate((answer) => answer.closest("[aria-live], [role=log], [role=status]")),
  ).toBeNull();
  await answer.release();
  await expect(announcer(owner)).toHaveText("Answer complete");
  await expect(answers(owner)).not.toHaveAttribute("aria-busy");
});

test("dark and light follow the system", async ({ owner }) => {
  await owner.emulateMedia({ colorScheme: "light" });
  const light = await background(owner);
  await owner.emulateMedia({ colorScheme: "dark" });
  await expect.poll(() => background(owner)).not.toBe(light);
});

for (const colorScheme of ["light", "dark"]) {
  test(`words stand out from their ground in ${colorScheme}`, async ({ owner, play }) => {
    await owner.emulateMedia({ colorScheme });
    const failing = play({ status: 500 });
    await converse(owner, "Contrast");
    await send(owner, failing.message);
    await expect(answers(owner).last().getByRole("note")).toBeVisible();
    await expect.poll(() => faintTexts(owner)).toEqual([]);
    await newChat(owner);
    await expect.poll(() => faintTexts(owner)).toEqual([]);
    for (const [path, name] of [
      ["/settings", "Save"],
      ["/settings/models", "Try it"],
      ["/settings/security", "Sign out"],
    ]) {
      await open(owner, path);
      await expect(button(owner, name)).toBeVisible();
      await expect.poll(() => faintTexts(owner)).toEqual([]);
    }
  });
}

/** Texts whose contrast is below 4.5 to 1, the bound of WCAG 2.2 AA. */
const faintTexts = (page) =>
  page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const read = (color) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
      return { color: [red, green, blue], alpha: alpha / 255 };
    };
    const over = (top, below) => top.color.map((value, index) => value * top.alpha + below[index] * (1 - top.alpha));
    const ground = (element) => {
      if (element === null) return [255, 255, 255];
      const own = read(getComputedStyle(element).backgroundColor);
      return own.alpha === 1 ? own.color : over(own, ground(element.parentElement));
    };
    const luminance = (color) => {
      const [red, green, blue] = color
        .map((value) => value / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const faint = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement;
      const isShown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      if (!isShown || element.matches(".unseen, .skip, :disabled, textarea") || !texts.currentNode.data.trim())
        continue;
      const below = ground(element);
      const [high, low] = [luminance(over(read(getComputedStyle(element).color), below)), luminance(below)].sort(
        (a, b) => b - a,
      );
      const contrast = (high + 0.05) / (low + 0.05);
      if (contrast < 4.5) faint.push(`${contrast.toFixed(2)}: ${texts.currentNode.data}`);
    }
    return faint;
  });

test("whoever wants less motion gets none", async ({ owner, play }) => {
  await owner.emulateMedia({ reducedMotion: "reduce" });
  const answer = play({ headersAfter: 600_000 });
  await begin(owner, answer.message);
  await expect(owner.getByText("Waiting for the answer")).toBeAttached();
  const moving = () =>
    owner.evaluate(() => document.getAnimations().map(({ animationName }) => animationName ?? "transition"));
  await expect.poll(moving).toEqual([]);
  await owner.emulateMedia({ reducedMotion: "no-preference" });
  await expect.poll(async () => (await moving()).length).toBeGreaterThan(0);
  await button(owner, "Stop").click();
});
