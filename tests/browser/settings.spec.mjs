// The settings: their sections, and the instructions, which no mishap may take from the owner.

import { complaints, expect, test } from "./fixtures.mjs";
import { answers, button, composer, connection, expectToFit, heading, open, reload, send, words } from "./page.mjs";

const field = (page) => page.getByRole("textbox", { name: "Your instructions" });
const save = (page) => button(page, "Save");
const restore = (page) => button(page, "Restore the defaults");
const restoring = (page) => page.getByRole("dialog", { name: "Restore the defaults?" });
const leaving = (page) => page.getByRole("dialog", { name: "Leave without saving?" });
const sectionLink = (page, name) =>
  page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name, exact: true });
const section = (page, name) => page.getByRole("heading", { level: 2, name, exact: true });
const AGENT = /\/agents\/personal-agent\/personal\?/;

/** Opens the instructions; resolves when they have come. */
async function openInstructions(page) {
  await open(page, "/settings");
  await expect(field(page)).not.toHaveValue("");
}

async function write(page, text) {
  await field(page).fill(text);
  await expect(page.getByText("What stands below is not saved.")).toBeVisible();
}

async function saveAs(page, text) {
  await write(page, text);
  await save(page).click();
  await expect(page.getByText("Saved.", { exact: true })).toBeVisible();
}

test.beforeEach(async ({ owner }) => {
  await openInstructions(owner);
  if (await restore(owner).isEnabled()) {
    await restore(owner).click();
    await button(restoring(owner), "Restore").click();
  }
  await expect(owner.getByText("The defaults are in force.")).toBeVisible();
});

test.describe("sections", () => {
  test("each has its address, and back and forward go between them", async ({ owner }) => {
    for (const [name, path] of [
      ["Models", "/settings/models"],
      ["Memory", "/settings/memory"],
      ["Keyboard", "/settings/keyboard"],
      ["Security", "/settings/security"],
      ["General", "/settings"],
    ]) {
      await sectionLink(owner, name).click();
      await expect(owner).toHaveURL(path);
      await expect(section(owner, name)).toBeFocused();
      await expect(sectionLink(owner, name)).toHaveAttribute("aria-current", "page");
    }
    await owner.goBack();
    await expect(section(owner, "Security")).toBeVisible();
    await owner.goForward();
    await expect(section(owner, "General")).toBeVisible();
    await open(owner, "/settings/models");
    await expect(section(owner, "Models")).toBeVisible();
    await owner.getByRole("link", { name: "Settings", exact: true }).click();
    await expect(owner).toHaveURL("/settings");
    await expect(section(owner, "General")).toBeVisible();
  });

  test("an address of no section shows the first one", async ({ owner }) => {
    await open(owner, "/settings/nothing");
    await expect(section(owner, "General")).toBeVisible();
  });

  test("going between them keeps the draft and asks nothing", async ({ owner }) => {
    await write(owner, "A draft");
    await sectionLink(owner, "Keyboard").click();
    await expect(section(owner, "Keyboard")).toBeVisible();
    await sectionLink(owner, "General").click();
    await expect(field(owner)).toHaveValue("A draft");
  });
});

test.describe("instructions", () => {
  test("they are saved exactly and are there after a reload", async ({ owner }) => {
    const text = "  Answer in verse.\n\n\tTwo lines. 🙂 ";
    await saveAs(owner, text);
    await expect(owner.getByText(/^Your own text is in force, changed just now\.$/)).toBeVisible();
    await reload(owner);
    await expect(field(owner)).toHaveValue(text);
    await expect(save(owner)).toBeDisabled();
  });

  test("the defaults come back once the owner has said so", async ({ owner }) => {
    const defaults = await field(owner).inputValue();
    await expect(restore(owner)).toBeDisabled();
    await saveAs(owner, "Mine");
    await owner.getByText("Show the defaults").click();
    await expect(owner.getByRole("group", { name: "Defaults" })).toHaveText(defaults.trim());
    await restore(owner).click();
    await expect(restoring(owner)).toHaveAccessibleDescription(/gone for good/);
    await button(restoring(owner), "Cancel").click();
    await expect(restoring(owner)).toBeHidden();
    await expect(restore(owner)).toBeFocused();
    await expect(field(owner)).toHaveValue("Mine");
    await restore(owner).click();
    await button(restoring(owner), "Restore").click();
    await expect(field(owner)).toHaveValue(defaults);
    await expect(owner.getByText("The defaults are in force.")).toBeVisible();
    await reload(owner);
    await expect(field(owner)).toHaveValue(defaults);
  });

  test("the length is counted, and too long a text is not sent", async ({ owner }) => {
    await write(owner, "🙂".repeat(8_000));
    await expect(owner.getByText("16,000 of 16,000 characters")).toBeVisible();
    await expect(save(owner)).toBeEnabled();
    await write(owner, `${"🙂".repeat(8_000)}!`);
    await expect(owner.getByText("16,001 of 16,000 characters")).toBeVisible();
    await expect(owner.getByRole("alert").filter({ hasText: "too long" })).toBeVisible();
    await expect(field(owner)).toHaveAttribute("aria-invalid", "true");
    await expect(save(owner)).toBeDisabled();
    await write(owner, "Short");
    await expect(save(owner)).toBeEnabled();
  });

  test("a text that the server refuses stays, with the reason, and can be mended", async ({ owner }) => {
    await write(owner, "A bell\u0007 in it");
    await save(owner).click();
    await expect(owner.getByRole("alert").filter({ hasText: /\w/ })).toBeVisible();
    await expect(field(owner)).toHaveValue("A bell\u0007 in it");
    await expect(save(owner)).toBeEnabled();
    await saveAs(owner, "No bell in it");
    await expect(owner.getByRole("alert").filter({ hasText: /\w/ })).toBeHidden();
  });

  test("a save whose answer is lost says so, keeps the draft, and can be repeated", async ({ owner }) => {
    let losses = 1;
    await owner.routeWebSocket(AGENT, (page) => {
      const server = page.connectToServer();
      page.onMessage((frame) => {
        if (losses > 0 && frame.includes("updateInstructions")) {
          losses -= 1;
          page.close({ code: 3000 });
        } else {
          server.send(frame);
        }
      });
    });
    await openInstructions(owner);
    await write(owner, "Do not lose me");
    await save(owner).click();
    await expect(owner.getByRole("alert").filter({ hasText: "The connection was lost" })).toBeVisible();
    await expect(field(owner)).toHaveValue("Do not lose me");
    await expect(connection(owner)).toHaveText("");
    await save(owner).click();
    await expect(owner.getByText("Saved.", { exact: true })).toBeVisible();
    await reload(owner);
    await expect(field(owner)).toHaveValue("Do not lose me");
  });

  test("a save while the server is away waits for it, and what is written meanwhile stays", async ({
    owner,
    installation,
    watch,
  }) => {
    watch.expect(complaints.socketLost, complaints.unreachable);
    const restarted = installation.restart();
    await expect(connection(owner)).toContainText("Reconnecting");
    await write(owner, "Into the gap");
    await save(owner).click();
    await expect(owner.getByText("Waiting for the connection…")).toBeVisible();
    await field(owner).fill("Into the gap, and after it");
    await restarted;
    await expect(owner.getByText("Saved.", { exact: true })).toBeVisible();
    await expect(field(owner)).toHaveValue("Into the gap, and after it");
    await expect(save(owner)).toBeEnabled();
    await save(owner).click();
    await expect(owner.getByText("What stands below is not saved.")).toBeHidden();
  });

  test("the next answer follows what was saved", async ({ owner, play }) => {
    await saveAs(owner, "Answer in verse.");
    await owner.getByRole("link", { name: "New chat", exact: true }).click();
    const answer = play({ text: "In verse" });
    await send(owner, answer.message);
    await expect(words(answers(owner))).toHaveText("In verse");
  });
});

test.describe("leaving with something unsaved", () => {
  test("by a link asks first, and staying loses nothing", async ({ owner }) => {
    await write(owner, "Not saved");
    await owner.getByRole("link", { name: "Tasks" }).click();
    await expect(leaving(owner)).toBeVisible();
    await expect(button(leaving(owner), "Stay")).toBeFocused();
    await owner.keyboard.press("Escape");
    await expect(leaving(owner)).toBeHidden();
    await expect(owner).toHaveURL("/settings");
    await expect(field(owner)).toHaveValue("Not saved");
    await owner.getByRole("link", { name: "Tasks" }).click();
    await button(leaving(owner), "Leave").click();
    await expect(heading(owner, "Tasks")).toBeFocused();
    await owner.getByRole("link", { name: "Settings", exact: true }).click();
    await expect(field(owner)).not.toHaveValue("");
    await expect(field(owner)).not.toHaveValue("Not saved");
  });

  test("by going back asks first too", async ({ owner }) => {
    await owner.getByRole("link", { name: "New chat", exact: true }).click();
    await owner.getByRole("link", { name: "Settings", exact: true }).click();
    await expect(field(owner)).not.toHaveValue("");
    await write(owner, "Not saved");
    await owner.evaluate(() => history.back());
    await expect(leaving(owner)).toBeVisible();
    await expect(owner).toHaveURL("/settings");
    await button(leaving(owner), "Leave").click();
    await expect(owner).toHaveURL("/");
    await expect(composer(owner)).toBeVisible();
  });

  test("by reloading asks too, and the draft is there afterwards", async ({ owner }) => {
    const asked = [];
    owner.on("dialog", (dialog) => {
      asked.push(dialog.type());
      return dialog.accept();
    });
    await field(owner).click();
    await owner.keyboard.press("Control+A");
    await owner.keyboard.type("Not saved");
    await expect(owner.getByText("What stands below is not saved.")).toBeVisible();
    await reload(owner);
    await expect(field(owner)).toHaveValue("Not saved");
    expect(asked).toEqual(["beforeunload"]);
    await save(owner).click();
    await expect(owner.getByText("Saved.", { exact: true })).toBeVisible();
    await reload(owner);
    await expect(field(owner)).toHaveValue("Not saved");
    expect(asked).toEqual(["beforeunload"]);
  });
});

test.describe("a second tab", () => {
  test("shows what the first one saved", async ({ owner, context }) => {
    const second = await context.newPage();
    await openInstructions(second);
    await saveAs(owner, "From the first tab");
    await expect(field(second)).toHaveValue("From the first tab");
    await expect(second.getByText("Changed in another tab.")).toBeHidden();
  });

  test("keeps its draft and lets the owner choose", async ({ owner, context }) => {
    const second = await context.newPage();
    await openInstructions(second);
    await write(second, "From the second tab");
    await saveAs(owner, "From the first tab");
    await expect(second.getByText("Changed in another tab.")).toBeVisible();
    await expect(field(second)).toHaveValue("From the second tab");
    await expect(save(second)).toBeDisabled();
    await button(second, "Keep mine").click();
    await expect(second.getByText("Changed in another tab.")).toBeHidden();
    await save(second).click();
    await expect(second.getByText("Saved.", { exact: true })).toBeVisible();
    await expect(field(owner)).toHaveValue("From the second tab");
    await write(owner, "Again from the first tab");
    await saveAs(second, "Again from the second tab");
    await expect(owner.getByText("Changed in another tab.")).toBeVisible();
    await button(owner, "Load the other").click();
    await expect(field(owner)).toHaveValue("Again from the second tab");
  });
});

test("the keyboard alone saves, and the focus stays where it was", async ({ owner }) => {
  await field(owner).focus();
  await owner.keyboard.press("Control+A");
  await owner.keyboard.type("By keyboard");
  await owner.keyboard.press("Tab");
  await expect(save(owner)).toBeFocused();
  await owner.keyboard.press("Enter");
  await expect(owner.getByText("Saved.", { exact: true })).toBeVisible();
  await expect(save(owner)).toBeFocused();
  await owner.keyboard.press("Tab");
  await expect(restore(owner)).toBeFocused();
  await owner.keyboard.press("Space");
  await expect(restoring(owner)).toBeVisible();
  await owner.keyboard.press("Escape");
  await expect(restore(owner)).toBeFocused();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 375, height: 720 }, hasTouch: true, isMobile: true });

  test("everything fits and can be tapped", async ({ owner, context }) => {
    const second = await context.newPage();
    await openInstructions(second);
    await write(second, "unbreakable".repeat(60));
    await expectToFit(second);
    await saveAs(owner, "From elsewhere");
    await expect(second.getByText("Changed in another tab.")).toBeVisible();
    await expectToFit(second);
    await button(second, "Keep mine").tap();
    await second.getByText("Show the defaults").tap();
    await expectToFit(second);
    await restore(second).tap();
    await expect(restoring(second)).toBeVisible();
    await expectToFit(second);
    await button(restoring(second), "Cancel").tap();
    for (const name of ["Keyboard", "Security"]) {
      await sectionLink(second, name).tap();
      await expect(section(second, name)).toBeVisible();
      await expectToFit(second);
    }
  });
});
