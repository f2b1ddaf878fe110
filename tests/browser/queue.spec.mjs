// Messages that are sent while an answer runs wait for their turn.

import { expect, test } from "./fixtures.mjs";
import {
  answers,
  begin,
  button,
  composer,
  expectAnswer,
  expectIdle,
  expectWords,
  questions,
  reload,
  send,
  transcript,
  words,
} from "./page.mjs";

test("a message sent meanwhile is shown as queued and answered in order", async ({ owner, play }) => {
  const first = play({ text: "The first answer", chunks: 4, gateAfter: 2 });
  const second = play({ text: "The second answer", chunks: 4, gateAfter: 2 });
  await begin(owner, first.message);
  await expectWords(answers(owner), first.after(2));
  await send(owner, second.message);
  await send(owner, "Third");
  await expect(composer(owner)).toHaveValue("");
  await expect(questions(owner).nth(1)).toContainText("Queued");
  await expect(questions(owner).nth(2)).toContainText("Queued");
  await expect(questions(owner).nth(0)).not.toContainText("Queued");
  await first.release();
  await expectWords(answers(owner).nth(0), first.text);
  await expectWords(answers(owner).nth(1), second.after(2));
  await expect(questions(owner).nth(1)).not.toContainText("Queued");
  await expect(questions(owner).nth(2)).toContainText("Queued");
  await second.release();
  await expectAnswer(owner, "You said: Third");
  await expect(transcript(owner).getByText("Queued")).toHaveCount(0);
  await expectIdle(owner);
  const order = [first.message, first.text, second.message, second.text, "Third", "You said: Third"];
  await expect(words(transcript(owner))).toHaveText(order);
  await reload(owner);
  await expect(words(transcript(owner))).toHaveText(order);
});

test("a reload keeps the queue", async ({ owner, play }) => {
  const first = play({ chunks: 4, gateAfter: 2 });
  await begin(owner, first.message);
  await expectWords(answers(owner), first.after(2));
  await send(owner, "Waiting");
  await expect(questions(owner).nth(1)).toContainText("Queued");
  await reload(owner);
  await expect(questions(owner).nth(1)).toContainText("Queued");
  await expect(questions(owner)).toHaveCount(2);
  await first.release();
  await expectAnswer(owner, "You said: Waiting");
});

test("stopping an answer lets the next message have its turn", async ({ owner, play }) => {
  const first = play({ chunks: 4, gateAfter: 2 });
  await begin(owner, first.message);
  await expectWords(answers(owner), first.after(2));
  await send(owner, "Next, please");
  await expect(questions(owner).nth(1)).toContainText("Queued");
  await button(owner, "Stop").click();
  await expectAnswer(owner, "You said: Next, please");
  await expectWords(answers(owner).first(), first.after(2));
});

test("while an answer runs, a written message can be sent with the button too", async ({ owner, play }) => {
  const first = play({ chunks: 4, gateAfter: 2 });
  await begin(owner, first.message);
  await expectWords(answers(owner), first.after(2));
  await expect(button(owner, "Send")).toBeHidden();
  await composer(owner).fill("By the button");
  await button(owner, "Send").click();
  await expect(questions(owner).nth(1)).toContainText("Queued");
  await first.release();
  await expectAnswer(owner, "You said: By the button");
});
