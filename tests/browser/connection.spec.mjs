// The server goes away and comes back: the page says so and recovers by itself.

import { complaints, expect, test } from "./fixtures.mjs";
import {
  answers,
  begin,
  button,
  connection,
  converse,
  expectAnswer,
  expectIdle,
  expectWords,
  questions,
  reload,
  rowLink,
  send,
  words,
} from "./page.mjs";

test.beforeEach(({ watch }) => watch.expect(complaints.socketLost, complaints.unreachable));

test("the page says that it reconnects, recovers by itself, and can chat", async ({ owner, installation }) => {
  await converse(owner, "Before the restart");
  await owner.evaluate(() => (globalThis.sameDocument = true));
  await expect(connection(owner)).toHaveText("");
  const restarted = installation.restart();
  await expect(connection(owner)).toContainText("Reconnecting");
  await restarted;
  await expect(connection(owner)).toHaveText("");
  await expectAnswer(owner, "You said: Before the restart");
  await expect(rowLink(owner, "Before the restart")).toBeVisible();
  await send(owner, "After the restart");
  await expectAnswer(owner, "You said: After the restart");
  expect(await owner.evaluate(() => globalThis.sameDocument)).toBe(true);
});

test("a message sent while the server is away is delivered once", async ({ owner, installation }) => {
  await converse(owner, "Before the gap");
  const restarted = installation.restart();
  await expect(connection(owner)).toContainText("Reconnecting");
  await send(owner, "Into the gap");
  await expectWords(questions(owner).last(), "Into the gap");
  await restarted;
  await expectAnswer(owner, "You said: Into the gap");
  await owner.reload();
  await expect(words(questions(owner))).toHaveText(["Before the gap", "Into the gap"]);
});

test("a running answer says in its place that it reconnects, and offers no stop meanwhile", async ({
  owner,
  installation,
  play,
}) => {
  const answer = play({ chunks: 4, gateAfter: 2 });
  await begin(owner, answer.message);
  await expectWords(answers(owner), answer.after(2));
  await expect(button(owner, "Stop")).toBeVisible();
  const restarted = installation.restart();
  await expect(answers(owner).getByText("Reconnecting…")).toBeVisible();
  await expect(button(owner, "Stop")).toBeHidden();
  await restarted;
  await expect(answers(owner).getByText("Reconnecting…")).toBeHidden();
});

test("an answer that the restart broke off goes on, every word once", async ({ owner, installation, play }) => {
  const answer = play({ chunks: 12, bytes: 400, gateAfter: 6 });
  await begin(owner, answer.message);
  await expectWords(answers(owner), answer.after(6));
  await installation.restart();
  await answer.release();
  await expectWords(answers(owner), answer.text);
  await expectIdle(owner);
  await reload(owner);
  await expectWords(answers(owner), answer.text);
  await send(owner, "Once more");
  await expectAnswer(owner, "You said: Once more");
});

test("an answer that is interrupted again and again is given up, and can be asked to continue", async ({
  owner,
  installation,
  play,
}) => {
  const answer = play({ chunks: 12, bytes: 400, gateAfter: 6 });
  await begin(owner, answer.message);
  await expectWords(answers(owner), answer.after(6));
  for (let restarts = 0; restarts < 4; restarts += 1) {
    await expect(answers(owner).getByText("Reconnecting…")).toBeHidden();
    await installation.restart();
    await expect(connection(owner)).toHaveText("");
  }
  await expect(answers(owner).getByRole("note")).toContainText("again and again");
  await expectWords(answers(owner), answer.after(6));
  await expectIdle(owner);
  await button(owner, "Continue").click();
  await expectWords(questions(owner).last(), "Please continue where you stopped.");
  await expect(answers(owner)).toHaveCount(2);
});

test("a page without a conversation recovers too", async ({ owner, installation }) => {
  const restarted = installation.restart();
  await expect(connection(owner)).toContainText("Reconnecting");
  await restarted;
  await expect(connection(owner)).toHaveText("");
  await converse(owner, "A fresh start");
});
