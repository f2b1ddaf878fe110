// Stopping an answer: it works from the first moment, keeps what there is, and disturbs nothing after it.

import { expect, test } from "./fixtures.mjs";
import {
  announcer,
  answers,
  begin,
  button,
  composer,
  converse,
  expectAnswer,
  expectIdle,
  expectWords,
  questions,
  reload,
  send,
} from "./page.mjs";

const STOPPED = "You stopped this answer.";

const expectHungUp = (answer) =>
  expect.poll(async () => (await answer.exchanges()).map(({ end }) => end)).toEqual(["closed by caller"]);

test("an answer is stopped before its first word", async ({ owner, play }) => {
  const answer = play({ headersAfter: 600_000 });
  await expect(button(owner, "Stop")).toBeHidden();
  await begin(owner, answer.message);
  await expect(button(owner, "Stop")).toBeVisible();
  await expect(button(owner, "Send")).toBeHidden();
  await expect.poll(async () => (await answer.exchanges()).length).toBe(1);
  await button(owner, "Stop").click();
  await expect(owner.getByText(STOPPED)).toBeVisible();
  await expectIdle(owner);
  await expectHungUp(answer);
  await send(owner, "And now?");
  await expectAnswer(owner, "You said: And now?");
});

test("an answer is stopped in the very moment in which it is asked for", async ({ owner, play }) => {
  await converse(owner, "Good morning");
  const answer = play({ headersAfter: 600_000 });
  await send(owner, answer.message);
  await button(owner, "Stop").click();
  await expectIdle(owner);
  await send(owner, "And now?");
  await expectAnswer(owner, "You said: And now?");
});

test("an answer is stopped in its middle, and what was written stays", async ({ owner, play }) => {
  const answer = play({ text: "One two three four five six", chunks: 6, gateAfter: 3 });
  await begin(owner, answer.message);
  await expectWords(answers(owner), answer.after(3));
  await button(owner, "Stop").click();
  await expect(answers(owner).getByText(STOPPED)).toBeVisible();
  await expectAnswer(owner, answer.after(3));
  await expect(announcer(owner)).toHaveText("Answer stopped");
  await expectIdle(owner);
  await expect(composer(owner)).toBeFocused();
  await expectHungUp(answer);
  await answer.release();
  await reload(owner);
  await expectAnswer(owner, answer.after(3));
  await expect(answers(owner).getByText(STOPPED)).toBeVisible();
  await send(owner, "Go on");
  await expectAnswer(owner, "You said: Go on");
  await expect(questions(owner)).toHaveCount(2);
});

test("Escape stops an answer", async ({ owner, play }) => {
  const answer = play({ chunks: 8, gateAfter: 2 });
  await begin(owner, answer.message);
  await expectWords(answers(owner), answer.after(2));
  await composer(owner).press("Escape");
  await expect(answers(owner).getByText(STOPPED)).toBeVisible();
  await expectIdle(owner);
});

test("an answer that another tab began can be stopped here", async ({ owner, context, play }) => {
  const answer = play({ chunks: 8, gateAfter: 2 });
  await begin(owner, answer.message);
  await expectWords(answers(owner), answer.after(2));
  const second = await context.newPage();
  await second.goto(owner.url());
  await expectWords(answers(second), answer.after(2));
  await button(second, "Stop").click();
  for (const tab of [owner, second]) {
    await expect(answers(tab).getByText(STOPPED)).toBeVisible();
    await expectIdle(tab);
  }
});
