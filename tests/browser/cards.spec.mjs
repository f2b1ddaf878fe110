// What a tool's card says while the tool runs, and how it says what is not known.

import { randomUUID } from "node:crypto";
import { complaints, expect, test } from "./fixtures.mjs";
import { answers, begin, button, expectAnswer, expectIdle, open, reload } from "./page.mjs";

test.skip(!process.env.FLAREBOT_FIXTURE_BUNDLE, "the tools that do on command what tools do are in the fixture bundle");
test.use({ bundle: "fixture" });

/** An answer that uses a tool; resolves when its card is there. */
async function use(page, play, installation, name, more = {}) {
  const label = randomUUID();
  const call = { name, arguments: { report: await installation.reportUrl(label), ...more } };
  const answer = play({ tools: [[call]], text: "It is done." }, label);
  await begin(page, answer.message);
  await expect(card(page)).toBeVisible();
  return answer;
}

const card = (page) => answers(page).locator("details.tool");
const line = (page) => card(page).locator("summary");
const MAY_STILL_FINISH = "Flarebot stopped waiting for it. It may still finish elsewhere.";
const UNKNOWN = "It is not known whether it was carried out.";

test("a folded card says in one line what runs, how long, and how far it is", async ({ owner, play, installation }) => {
  await use(owner, play, installation, "progress", { milliseconds: 1_500, times: 4 });
  await expect(line(owner)).toContainText(/^Progress\s+running…/);
  await expect(line(owner)).toContainText("1 of 4");
  const bar = card(owner).getByRole("progressbar", { name: "Progress: Progress" });
  await expect(bar).toHaveJSProperty("max", 4);
  await expect(line(owner)).toContainText(/· [2-9] s · [23] of 4/);
  await expect(card(owner)).not.toHaveAttribute("open");
  await expectAnswer(owner, "It is done.");
  await expect(line(owner)).toContainText(/done\s+· [5-9] s/);
  await expect(line(owner)).not.toContainText("of 4");
  await expect(bar).toHaveCount(0);
});

test("what came out is there on demand, and stays open while the answer goes on", async ({ owner, play, installation }) => {
  await use(owner, play, installation, "progress", { milliseconds: 1_000, times: 4 });
  await expect(card(owner).getByRole("group", { name: "So far" })).toHaveCount(0);
  await line(owner).focus();
  await owner.keyboard.press("Enter");
  await expect(card(owner).getByRole("group", { name: "So far" })).toContainText('"of": 4');
  await expect(card(owner).getByRole("group", { name: "Output" })).toContainText('"done": true');
  await expectAnswer(owner, "It is done.");
  await expect(card(owner)).toHaveAttribute("open");
});

test("an answer that is stopped says what the tool may still do", async ({ owner, play, installation }) => {
  await use(owner, play, installation, "look", { milliseconds: 600_000 });
  await expect(line(owner)).toContainText("running…");
  await button(owner, "Stop").click();
  await expect(line(owner)).toContainText("cancelled");
  await expect(line(owner)).toContainText(MAY_STILL_FINISH);
  await expectIdle(owner);
  await reload(owner);
  await expect(line(owner)).toContainText(MAY_STILL_FINISH);
});

test("a tool that never returns is given up, and the card says so", async ({ owner, play, installation }) => {
  await use(owner, play, installation, "hang");
  await expect(line(owner)).toContainText("took too long");
  await expect(line(owner)).toContainText(MAY_STILL_FINISH);
  await expectAnswer(owner, "It is done.");
});

test("what was under way when the server died is said to be unknown", async ({ owner, play, installation, watch }) => {
  watch.expect(complaints.socketLost, complaints.unreachable);
  const answer = await use(owner, play, installation, "count", { milliseconds: 600_000 });
  await expect.poll(() => answer.reports()).toEqual(["begun"]);
  await installation.restart();
  await expect(line(owner)).toContainText("interrupted");
  await expect(line(owner)).toContainText(UNKNOWN);
  await expectAnswer(owner, "It is done.");
  await reload(owner);
  await expect(line(owner)).toContainText(UNKNOWN);
  expect(await answer.reports()).toEqual(["begun"]);
});

test("a second tab sees the same card run", async ({ owner, context, play, installation }) => {
  await use(owner, play, installation, "progress", { milliseconds: 1_500, times: 4 });
  const second = await context.newPage();
  await open(second, new URL(owner.url()).pathname);
  await expect(line(second)).toContainText("running…");
  await expect(line(second)).toContainText("of 4");
  await expectAnswer(second, "It is done.");
  await expect(line(second)).toContainText("done");
});

test("the line is whole on a phone", async ({ owner, play, installation }) => {
  await owner.setViewportSize({ width: 375, height: 720 });
  await use(owner, play, installation, "progress", { milliseconds: 1_000, times: 3 });
  await expect(line(owner)).toContainText("of 3");
  const box = await line(owner).boundingBox();
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(375);
  expect(box.height).toBeGreaterThanOrEqual(44);
  await expectAnswer(owner, "It is done.");
});
