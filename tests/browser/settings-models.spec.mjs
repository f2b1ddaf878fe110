// Which model answers, the keys of providers, and what answers have used.

import { expect, test } from "./fixtures.mjs";
import { answers, begin, button, composer, expectAnswer, open, reload } from "./page.mjs";

const KEY = "sk-ant-browser-0123456789-abcdefghijklmnop";

const models = (page) => page.getByRole("radiogroup", { name: "The model that answers" });
const inUse = (page) => models(page).getByRole("radio", { checked: true });
const ofAnthropic = (page) => models(page).getByRole("group", { name: "Anthropic" }).getByRole("radio");
const scripted = (page) => models(page).getByRole("radio", { name: "scripted" });
const trial = (page) => page.getByRole("status", { name: "Trial" });
const keys = (page) => page.getByRole("region", { name: "Your Anthropic key" });
const keyField = (page) => keys(page).getByLabel(/^(New key|Key)$/);
const removing = (page) => page.getByRole("dialog", { name: "Remove the key for Anthropic?" });
const leaving = (page) => page.getByRole("dialog", { name: "Leave without saving?" });

async function openModels(page) {
  await open(page, "/settings/models");
  await expect(models(page)).toBeVisible();
}

async function choose(page, radio) {
  await radio.check();
  await button(page, "Use this model").click();
  await expect(page.getByText("Saved.", { exact: true })).toBeVisible();
}

async function removeKey(page) {
  await button(keys(page), "Remove").click();
  await button(removing(page), "Remove").click();
  await expect(keys(page)).toContainText("No key");
}

test.beforeEach(async ({ owner }) => {
  await openModels(owner);
  if (!(await scripted(owner).isChecked())) await choose(owner, scripted(owner));
  if (await button(keys(owner), "Remove").isVisible()) await removeKey(owner);
});

test.describe("models", () => {
  test("they stand by provider, with what the owner should know of them", async ({ owner }) => {
    await expect(scripted(owner)).toBeChecked();
    await expect(scripted(owner)).toHaveAccessibleDescription(/In use/);
    await expect(ofAnthropic(owner).first()).toHaveAccessibleDescription(
      /Needs your key.*tokens of context.*\$\d.*in, \$\d.*out per million tokens/,
    );
    await expect(owner.getByText(/^Prices in US dollars, as the providers listed them on \d+ \w+ \d{4}/)).toBeVisible();
  });

  test("marking one changes nothing, choosing it does, and a reload shows it", async ({ owner }) => {
    const other = ofAnthropic(owner).first();
    await expect(button(owner, "Use this model")).toBeDisabled();
    await other.check();
    await expect(owner.getByText("The marked model needs your key: save it below first.")).toBeVisible();
    await expect(scripted(owner)).toHaveAccessibleDescription(/In use/);
    await choose(owner, other);
    await expect(other).toHaveAccessibleDescription(/In use/);
    await reload(owner);
    await expect(ofAnthropic(owner).first()).toBeChecked();
    await expect(inUse(owner)).toHaveCount(1);
  });

  test("a mark that is not saved asks before the page is left", async ({ owner }) => {
    await ofAnthropic(owner).first().check();
    await owner.getByRole("link", { name: "Tasks" }).click();
    await button(leaving(owner), "Stay").click();
    await expect(ofAnthropic(owner).first()).toBeChecked();
    await scripted(owner).check();
    await owner.getByRole("link", { name: "Tasks" }).click();
    await expect(owner).toHaveURL("/tasks");
  });

  test("a choice shows in a second tab", async ({ owner, context }) => {
    const second = await context.newPage();
    await openModels(second);
    await choose(owner, ofAnthropic(owner).first());
    await expect(ofAnthropic(second).first()).toBeChecked();
    await expect(ofAnthropic(second).first()).toHaveAccessibleDescription(/In use/);
  });

  test("trying one says what happened, and marking another forgets it", async ({ owner }) => {
    await button(owner, "Try it").click();
    await expect(trial(owner)).toContainText(/^scripted: \S/);
    await expect(trial(owner)).not.toHaveAttribute("aria-busy");
    await ofAnthropic(owner).first().check();
    await expect(trial(owner)).toHaveText("");
    await button(owner, "Try it").click();
    await expect(trial(owner)).toContainText("key");
  });

  test("arrow keys go through the list and change nothing", async ({ owner }) => {
    await scripted(owner).focus();
    await owner.keyboard.press("ArrowUp");
    await expect(scripted(owner)).not.toBeChecked();
    await expect(scripted(owner)).toHaveAccessibleDescription(/In use/);
    await owner.keyboard.press("ArrowDown");
    await expect(scripted(owner)).toBeChecked();
    await expect(button(owner, "Use this model")).toBeDisabled();
  });
});

test.describe("keys", () => {
  test("a key is saved and never shown again, replaced and removed", async ({ owner, context }) => {
    await expect(keys(owner)).toContainText("No key");
    await expect(keyField(owner)).toHaveAttribute("type", "password");
    await expect(keyField(owner)).toHaveAttribute("autocomplete", "off");
    await keyField(owner).fill(` ${KEY}\t`);
    await button(keys(owner), "Save key").click();
    await expect(keys(owner)).toContainText("Configured");
    await expect(keyField(owner)).toBeHidden();
    await expect(ofAnthropic(owner).first()).not.toHaveAccessibleDescription(/Needs your key/);
    await expectNoKey(owner, context);
    await reload(owner);
    await expect(keys(owner)).toContainText("Configured");
    await button(keys(owner), "Replace").click();
    await expect(keyField(owner)).toBeFocused();
    await expect(keyField(owner)).toHaveValue("");
    await button(keys(owner), "Cancel").click();
    await button(keys(owner), "Replace").click();
    await keyField(owner).fill(`${KEY}-second`);
    await keyField(owner).press("Enter");
    await expect(keys(owner).getByText("The key is saved.")).toBeVisible();
    await expectNoKey(owner, context);
    await button(keys(owner), "Remove").click();
    await expect(removing(owner)).toHaveAccessibleDescription(/Revoke the key/);
    await button(removing(owner), "Cancel").click();
    await expect(keys(owner)).toContainText("Configured");
    await removeKey(owner);
    await expect(keyField(owner)).toBeVisible();
  });

  test("what cannot be a key is refused in a sentence and not sent", async ({ owner }) => {
    for (const [typed, sentence] of [
      ["", "Paste the key"],
      ["too-short", "20 to 512 characters"],
      ["k".repeat(513), "20 to 512 characters"],
      ["a key with spaces in its middle", "no spaces"],
    ]) {
      await keyField(owner).fill(typed);
      await button(keys(owner), "Save key").click();
      await expect(keys(owner).getByRole("alert")).toContainText(sentence);
      await expect(keyField(owner)).toHaveValue(typed);
      await expect(keyField(owner)).toHaveAttribute("aria-invalid", "true");
    }
    await expect(keys(owner)).toContainText("No key");
  });

  test("a typed key is gone with the section, and was nowhere", async ({ owner, context }) => {
    await keyField(owner).fill(KEY);
    await owner.getByRole("link", { name: "Keyboard", exact: true }).click();
    await expectNoKey(owner, context);
    await owner.getByRole("link", { name: "Models", exact: true }).click();
    await expect(keyField(owner)).toHaveValue("");
  });
});

/** The key is in no field, text, storage or address of the page. */
async function expectNoKey(page, context) {
  const seen = await page.evaluate(() =>
    [
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll("input, textarea")].map(({ value }) => value),
      JSON.stringify(Object.entries(localStorage)),
      JSON.stringify(Object.entries(sessionStorage)),
      JSON.stringify(history.state),
      location.href,
      document.cookie,
    ].join("\n"),
  );
  expect(seen).not.toContain(KEY);
  expect(JSON.stringify(await context.cookies())).not.toContain(KEY);
}

test.describe("what answers have used", () => {
  test("an answer names its model and tokens, and the header adds them up", async ({ owner, play }) => {
    await owner.getByRole("link", { name: "New chat", exact: true }).click();
    const first = play({ text: "First", usage: [1200, 34] });
    await begin(owner, first.message);
    await expectAnswer(owner, "First");
    await expect(answers(owner).last().getByText("1,200 tokens in, 34 out")).toBeVisible();
    await expect(answers(owner).last().getByText(/scripted/)).toBeVisible();
    const sum = owner.locator("header details").filter({ hasText: "Used so far" });
    await expect(sum.locator("summary")).toContainText("1,234 tokens");
    const second = play({ text: "Second", usage: [2000, 66] });
    await owner.getByRole("textbox", { name: "Message", exact: true }).fill(second.message);
    await owner.keyboard.press("Enter");
    await expectAnswer(owner, "Second");
    await sum.locator("summary").click();
    await expect(sum).toContainText("2 answers · 3,200 tokens in, 100 out");
    await reload(owner);
    await expect(sum.locator("summary")).toContainText("3,300 tokens");
  });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 375, height: 720 }, hasTouch: true, isMobile: true });

  test("models and keys fit, and the sum of a conversation does", async ({ owner, play }) => {
    const widths = () =>
      owner.evaluate(() => ({
        page: document.documentElement.scrollWidth,
        main: document.querySelector("main").scrollWidth,
      }));
    expect(await widths()).toEqual({ page: 375, main: 375 });
    await ofAnthropic(owner).first().tap();
    await button(owner, "Try it").tap();
    await expect(trial(owner)).toContainText("key");
    expect(await widths()).toEqual({ page: 375, main: 375 });
    await scripted(owner).tap();
    await open(owner, "/");
    const answer = play({ text: "Small", usage: [1_000_000, 234_567] });
    // Enter of a screen's keyboard breaks the line.
    await composer(owner).fill(answer.message);
    await button(owner, "Send").tap();
    await expectAnswer(owner, "Small");
    const sum = owner.locator("header details").filter({ hasText: "Used so far" });
    await sum.locator("summary").tap();
    const box = await sum.locator(".popover-body").boundingBox();
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(375);
    expect(await widths()).toEqual({ page: 375, main: 375 });
  });
});
