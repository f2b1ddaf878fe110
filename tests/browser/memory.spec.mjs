// What is remembered, in the settings: nothing of it is lost by a mishap, and nothing is forgotten for good by one.

import { expect, test } from "./fixtures.mjs";
import { button, expectToFit, heading, open, reload } from "./page.mjs";

const AGENT = /\/agents\/personal-agent\/personal\?/;
const remembered = (page) => page.getByRole("region", { name: "What is remembered" });
const fact = (page, text) =>
  remembered(page)
    .getByRole("listitem")
    .filter({ has: page.getByText(text, { exact: true }) })
    .filter({ has: button(page, "Edit") });
const addition = (page) => page.getByRole("textbox", { name: "New fact" });
const editor = (page) => page.getByRole("textbox", { name: "Change this fact" });
const search = (page) => page.getByRole("searchbox", { name: "Search" });
const forgotten = (page) => page.getByRole("list", { name: "Just forgotten" });
const leaving = (page) => page.getByRole("dialog", { name: "Leave without saving?" });
const count = (page, number) => page.getByText(`${number} of 200 facts`, { exact: true });

/** Opens the section; resolves when the facts have come. */
async function openMemory(page) {
  await open(page, "/settings/memory");
  await expect(page.getByText(/^\d+ of 200 facts$/)).toBeVisible();
}

async function add(page, text) {
  await addition(page).fill(text);
  await button(page, "Remember").click();
  await expect(fact(page, text)).toBeVisible();
}

test.beforeEach(async ({ owner }) => {
  await openMemory(owner);
  const forget = button(remembered(owner), "Forget");
  for (let left = await forget.count(); left > 0; left -= 1) {
    await forget.first().click();
    await expect(forget).toHaveCount(left - 1);
  }
  await openMemory(owner);
  await expect(owner.getByText(/^Nothing is remembered yet\./)).toBeVisible();
});

test("a fact is added, and is there after a reload", async ({ owner }) => {
  await add(owner, "I have a cat. 🐈");
  await expect(addition(owner)).toHaveValue("");
  await expect(count(owner, 1)).toBeVisible();
  await expect(owner.getByText("Remembered just now.")).toBeVisible();
  await reload(owner);
  await expect(fact(owner, "I have a cat. 🐈")).toBeVisible();
});

test("what is written is text and never markup", async ({ owner }) => {
  await add(owner, "<img src=x onerror=alert(1)> & <b>bold</b>");
  await expect(remembered(owner).locator("img, b")).toHaveCount(0);
});

test("the length is counted, and too long a text is not sent", async ({ owner }) => {
  await addition(owner).fill("🙂".repeat(500));
  await expect(owner.getByText("1,000 of 1,000 characters")).toBeVisible();
  await expect(button(owner, "Remember")).toBeEnabled();
  await addition(owner).fill(`${"🙂".repeat(500)}!`);
  await expect(owner.getByText("1,001 of 1,000 characters")).toBeVisible();
  await expect(owner.getByRole("alert").filter({ hasText: "too long" })).toBeVisible();
  await expect(button(owner, "Remember")).toBeDisabled();
});

test("a fact is changed by keyboard, and the focus comes back to it", async ({ owner }) => {
  await add(owner, "I drink tea.");
  await button(fact(owner, "I drink tea."), "Edit").focus();
  await owner.keyboard.press("Enter");
  await expect(editor(owner)).toBeFocused();
  await owner.keyboard.press("Escape");
  await expect(button(fact(owner, "I drink tea."), "Edit")).toBeFocused();
  await owner.keyboard.press("Enter");
  await owner.keyboard.press("Control+A");
  await owner.keyboard.type("I drink coffee.");
  await owner.keyboard.press("Tab");
  await expect(button(owner, "Save")).toBeFocused();
  await owner.keyboard.press("Enter");
  await expect(button(fact(owner, "I drink coffee."), "Edit")).toBeFocused();
  await reload(owner);
  await expect(fact(owner, "I drink coffee.")).toBeVisible();
  await expect(count(owner, 1)).toBeVisible();
});

test("what is forgotten can be taken back", async ({ owner }) => {
  await add(owner, "I drink tea.");
  await button(fact(owner, "I drink tea."), "Forget").click();
  await expect(forgotten(owner)).toContainText("I drink tea.");
  await expect(fact(owner, "I drink tea.")).toHaveCount(0);
  await expect(button(forgotten(owner), "Undo")).toBeFocused();
  await owner.keyboard.press("Enter");
  await expect(fact(owner, "I drink tea.")).toBeVisible();
  await expect(forgotten(owner).getByRole("listitem")).toHaveCount(0);
  await reload(owner);
  await expect(fact(owner, "I drink tea.")).toBeVisible();
});

test("what is looked for is found, and a miss says what was looked for", async ({ owner }) => {
  await add(owner, "My cat is called Miso.");
  await add(owner, "I drink tea.");
  await search(owner).fill("cat");
  await expect(fact(owner, "I drink tea.")).toHaveCount(0);
  await expect(fact(owner, "My cat is called Miso.")).toBeVisible();
  await expect(owner.getByText("1 fact found")).toBeVisible();
  await search(owner).fill("zebra");
  await expect(owner.getByText("Nothing remembered was found for “zebra”.")).toBeVisible();
  await owner.keyboard.press("Escape");
  await expect(search(owner)).toHaveValue("");
  await expect(fact(owner, "I drink tea.")).toBeVisible();
});

test("where a fact came from is told on demand", async ({ owner }) => {
  await add(owner, "I drink tea.");
  const row = fact(owner, "I drink tea.");
  await row.getByText("Where it came from").click();
  await expect(row.getByText("You wrote it.")).toBeVisible();
});

test("a change whose answer is lost keeps the draft and can be repeated", async ({ owner }) => {
  let losses = 1;
  await owner.routeWebSocket(AGENT, (page) => {
    const server = page.connectToServer();
    page.onMessage((frame) => {
      if (losses > 0 && frame.includes('"addMemory"')) {
        losses -= 1;
        page.close({ code: 3000 });
      } else {
        server.send(frame);
      }
    });
  });
  await openMemory(owner);
  await addition(owner).fill("Do not lose me");
  await button(owner, "Remember").click();
  await expect(owner.getByRole("alert").filter({ hasText: "The connection was lost" })).toBeVisible();
  await expect(addition(owner)).toHaveValue("Do not lose me");
  await button(owner, "Remember").click();
  await expect(fact(owner, "Do not lose me")).toBeVisible();
});

test("what is not saved is asked about before leaving, and is there after a reload", async ({ owner }) => {
  await add(owner, "I drink tea.");
  await button(fact(owner, "I drink tea."), "Edit").click();
  await editor(owner).fill("I drink coffee.");
  await owner.getByRole("link", { name: "Tasks" }).click();
  await expect(leaving(owner)).toBeVisible();
  await button(leaving(owner), "Stay").click();
  await expect(editor(owner)).toHaveValue("I drink coffee.");
  owner.on("dialog", (dialog) => dialog.accept());
  await reload(owner);
  await expect(editor(owner)).toHaveValue("I drink coffee.");
  await owner.getByRole("link", { name: "Tasks" }).click();
  await button(leaving(owner), "Leave").click();
  await expect(heading(owner, "Tasks")).toBeVisible();
  await openMemory(owner);
  await expect(fact(owner, "I drink tea.")).toBeVisible();
});

test.describe("a second tab", () => {
  test("shows what the first one changes", async ({ owner, context }) => {
    const second = await context.newPage();
    await openMemory(second);
    await add(owner, "From the first tab");
    await expect(fact(second, "From the first tab")).toBeVisible();
    await button(fact(owner, "From the first tab"), "Forget").click();
    await expect(fact(second, "From the first tab")).toHaveCount(0);
  });

  test("keeps its draft, shows the newer text, and lets the owner choose", async ({ owner, context }) => {
    await add(owner, "I drink tea.");
    const second = await context.newPage();
    await openMemory(second);
    await button(fact(second, "I drink tea."), "Edit").click();
    await editor(second).fill("I drink green tea.");
    await button(fact(owner, "I drink tea."), "Edit").click();
    await editor(owner).fill("I drink coffee.");
    await button(owner, "Save").click();
    await expect(second.getByText("Changed elsewhere.")).toBeVisible();
    await expect(second.getByText("I drink coffee.", { exact: true })).toBeVisible();
    await expect(editor(second)).toHaveValue("I drink green tea.");
    await expect(button(second, "Save")).toBeDisabled();
    await button(second, "Keep mine").click();
    await button(second, "Save").click();
    await expect(fact(owner, "I drink green tea.")).toBeVisible();
    await button(fact(second, "I drink green tea."), "Edit").click();
    await editor(second).fill("I drink juice.");
    await button(fact(owner, "I drink green tea."), "Forget").click();
    await expect(second.getByText("Forgotten elsewhere.")).toBeVisible();
    await button(second, "Remember mine").click();
    await expect(fact(owner, "I drink juice.")).toBeVisible();
    await expect(count(owner, 1)).toBeVisible();
  });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 375, height: 720 }, hasTouch: true, isMobile: true });

  test("everything fits and can be tapped", async ({ owner }) => {
    const long = "unbreakable".repeat(60);
    await addition(owner).fill(long);
    await expectToFit(owner);
    await button(owner, "Remember").tap();
    await expect(fact(owner, long)).toBeVisible();
    await expectToFit(owner);
    await fact(owner, long).getByText("Where it came from").tap();
    await expect(owner.getByText("You wrote it.")).toBeVisible();
    await button(fact(owner, long), "Edit").tap();
    await expect(editor(owner)).toBeVisible();
    await expectToFit(owner);
    await button(owner, "Cancel").tap();
    await button(fact(owner, long), "Forget").tap();
    await expect(button(forgotten(owner), "Undo")).toBeVisible();
    await expectToFit(owner);
  });
});
