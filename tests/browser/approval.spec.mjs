// What the owner sees of a tool that waits for them, and how they decide.

import { randomUUID } from "node:crypto";
import { complaints, expect, test } from "./fixtures.mjs";
import {
  announcer,
  answers,
  begin,
  button,
  composer,
  expectAnswer,
  expectIdle,
  expectWords,
  open,
  reload,
  send,
} from "./page.mjs";

test.skip(!process.env.FLAREBOT_FIXTURE_BUNDLE, "the tools that wait for the owner are in the fixture bundle");
test.use({ bundle: "fixture" });

/** An answer that orders something, once it waits. */
const ask = async (page, play, installation) => {
  const label = randomUUID();
  const report = await installation.reportUrl(label);
  const call = { name: "order", arguments: { report, what: "<b>ten</b> pens" } };
  const answer = play({ tools: [[call]], text: "It is done." }, label);
  await begin(page, answer.message);
  await expect(card(page)).toContainText("needs your approval");
  return answer;
};

const card = (page) => answers(page).getByRole("group").filter({ hasText: "Order" }).first();
const allow = (page) => button(page, "Allow: Order");
const decline = (page) => button(page, "Decline: Order");

test("a call that needs approval is open, says what it is about, and runs when it is allowed", async ({
  owner,
  play,
  installation,
}) => {
  const answer = await ask(owner, play, installation);
  await expect(card(owner)).toContainText("Nothing has happened yet");
  await expect(card(owner).getByText("<b>ten</b> pens")).toBeVisible();
  await expect(announcer(owner)).toHaveText("Flarebot waits for your decision");
  await expectIdle(owner);
  expect(await answer.reports()).toEqual([]);
  await allow(owner).click();
  await expectAnswer(owner, "It is done.");
  await expect(card(owner)).toContainText("done");
  await expect(allow(owner)).toBeHidden();
  expect(await answer.reports()).toEqual(["begun", "ended"]);
});

test("a call that is declined does not run, and stays declined after a reload", async ({ owner, play, installation }) => {
  const answer = await ask(owner, play, installation);
  await decline(owner).click();
  await expectAnswer(owner, "It is done.");
  await expect(card(owner)).toContainText("declined");
  await reload(owner);
  await expect(card(owner)).toContainText("declined");
  expect(await answer.reports()).toEqual([]);
});

test("the composer stays usable while a call waits, and the call can be decided after that", async ({
  owner,
  play,
  installation,
}) => {
  await ask(owner, play, installation);
  await send(owner, "Something else");
  await expectWords(answers(owner).last(), "You said: Something else");
  await reload(owner);
  await allow(owner).click();
  await expectWords(answers(owner).first(), "It is done.");
  await expectWords(answers(owner).last(), "You said: Something else");
});

test("a call still waits after the server was restarted, and is decided with the keyboard", async ({
  owner,
  play,
  installation,
  watch,
}) => {
  watch.expect(complaints.socketLost, complaints.unreachable);
  const answer = await ask(owner, play, installation);
  await installation.restart();
  await reload(owner);
  await expect(card(owner)).toContainText("needs your approval");
  await allow(owner).focus();
  await owner.keyboard.press("Enter");
  await expectAnswer(owner, "It is done.");
  await expect(composer(owner)).toBeFocused();
  expect(await answer.reports()).toEqual(["begun", "ended"]);
});

test("what another tab decides shows here", async ({ owner, context, play, installation }) => {
  await ask(owner, play, installation);
  const other = await context.newPage();
  await open(other, new URL(owner.url()).pathname);
  await decline(other).click();
  await expect(card(owner)).toContainText("declined");
  await expect(decline(owner)).toBeHidden();
  await expectAnswer(owner, "It is done.");
  await expectAnswer(other, "It is done.");
});

test("the buttons are large enough for a finger", async ({ owner, play, installation }) => {
  await owner.setViewportSize({ width: 320, height: 640 });
  await ask(owner, play, installation);
  for (const choice of [allow(owner), decline(owner)]) {
    const { width, height } = await choice.boundingBox();
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
  }
});
