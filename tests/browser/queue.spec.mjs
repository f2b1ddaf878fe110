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
  open,
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

/** What can be done with a message that waits, and the field in which it is changed. */
const choice = (message, name) => message.getByRole("button", { name, exact: true });
const editor = (page) => page.getByRole("textbox", { name: "Change this message" });

test("a message that waits can be changed, and is answered as it was changed", async ({ owner, play }) => {
  const first = play({ chunks: 4, gateAfter: 2 });
  await begin(owner, first.message);
  await expectWords(answers(owner), first.after(2));
  await send(owner, "Wiating");
  const waiting = questions(owner).nth(1);
  await choice(waiting, "Edit").click();
  await expect(editor(owner)).toBeFocused();
  await expect(editor(owner)).toHaveValue("Wiating");
  await editor(owner).fill("");
  await expect(choice(waiting, "Save")).toBeDisabled();
  await editor(owner).fill("Waiting");
  await editor(owner).press("Enter");
  await expect(editor(owner)).toBeHidden();
  await expect(choice(waiting, "Edit")).toBeFocused();
  await expectWords(waiting, "Waiting");
  await expect(waiting).toContainText("Queued");
  await first.release();
  await expectAnswer(owner, "You said: Waiting");
  await expect(choice(waiting, "Edit")).toBeHidden();
  await reload(owner);
  await expect(words(transcript(owner))).toHaveText([first.message, first.text, "Waiting", "You said: Waiting"]);
});

test("Escape leaves a waiting message as it was, and the answer running", async ({ owner, play }) => {
  const first = play({ chunks: 4, gateAfter: 2 });
  await begin(owner, first.message);
  await expectWords(answers(owner), first.after(2));
  await send(owner, "As it was");
  await choice(questions(owner).nth(1), "Edit").click();
  await editor(owner).fill("Something else");
  await editor(owner).press("Escape");
  await expect(editor(owner)).toBeHidden();
  await expect(choice(questions(owner).nth(1), "Edit")).toBeFocused();
  await expect(button(owner, "Stop")).toBeVisible();
  await first.release();
  await expectWords(answers(owner).first(), first.text);
  await expectAnswer(owner, "You said: As it was");
});

test("a message that waits can be deleted, and nothing of it is left", async ({ owner, play }) => {
  const first = play({ chunks: 4, gateAfter: 2 });
  await begin(owner, first.message);
  await expectWords(answers(owner), first.after(2));
  await send(owner, "Not after all");
  await send(owner, "But this");
  await choice(questions(owner).filter({ hasText: "Not after all" }), "Delete").click();
  await expect(questions(owner)).toHaveCount(2);
  await expect(composer(owner)).toBeFocused();
  await reload(owner);
  await expect(questions(owner)).toHaveCount(2);
  await first.release();
  await expectAnswer(owner, "You said: But this");
  const order = [first.message, first.text, "But this", "You said: But this"];
  await expect(words(transcript(owner))).toHaveText(order);
});

test("a message sent now stops the answer, which keeps its words, and comes before what waited", async ({
  owner,
  play,
}) => {
  const first = play({ chunks: 4, gateAfter: 2 });
  const urgent = play({ text: "At once", chunks: 4, gateAfter: 2 });
  await begin(owner, first.message);
  await expectWords(answers(owner), first.after(2));
  await send(owner, "Can wait");
  await send(owner, urgent.message);
  await choice(questions(owner).nth(2), "Send now").click();
  await expect(answers(owner).first().getByText("You stopped this answer.")).toBeVisible();
  await expectWords(answers(owner).first(), first.after(2));
  await expectWords(answers(owner).nth(1), urgent.after(2));
  await expect(questions(owner).nth(2)).toContainText("Can wait");
  await expect(questions(owner).nth(2)).toContainText("Queued");
  await urgent.release();
  await expectAnswer(owner, "You said: Can wait");
  const order = [
    first.message,
    first.after(2),
    urgent.message,
    urgent.text,
    "Can wait",
    "You said: Can wait",
  ];
  await expect(words(transcript(owner))).toHaveText(order);
  await reload(owner);
  await expect(words(transcript(owner))).toHaveText(order);
  const [exchange] = await urgent.exchanges();
  expect(exchange.conversation.map(([, text]) => text)).toEqual([first.message, first.after(2), urgent.message]);
});

test("what is done with the queue in one tab shows in the other", async ({ owner, context, play }) => {
  const first = play({ chunks: 4, gateAfter: 2 });
  const id = await begin(owner, first.message);
  await expectWords(answers(owner), first.after(2));
  for (const text of ["One", "Two", "Three"]) await send(owner, text);
  await expect(questions(owner).nth(3)).toContainText("Queued");
  const second = await context.newPage();
  await open(second, `/c/${id}`);
  await expect(words(questions(second))).toHaveText([first.message, "One", "Two", "Three"]);
  await choice(questions(second).nth(2), "Edit").click();
  await editor(second).fill("Two, better");
  await editor(second).press("Enter");
  await choice(questions(second).nth(1), "Delete").click();
  await expect(words(questions(owner))).toHaveText([first.message, "Two, better", "Three"]);
  await choice(questions(owner).nth(2), "Send now").click();
  for (const tab of [owner, second]) {
    await expectAnswer(tab, "You said: Two, better");
    const order = [first.message, first.after(2), "Three", "You said: Three", "Two, better", "You said: Two, better"];
    await expect(words(transcript(tab))).toHaveText(order);
  }
});

test("a change that comes too late is not lost", async ({ owner, play }) => {
  const first = play({ chunks: 4, gateAfter: 2 });
  await begin(owner, first.message);
  await expectWords(answers(owner), first.after(2));
  await send(owner, "The original");
  await choice(questions(owner).nth(1), "Edit").click();
  await editor(owner).fill("The change");
  await first.release();
  await expectAnswer(owner, "You said: The original");
  await expect(editor(owner)).toBeHidden();
  await expect(composer(owner)).toHaveValue("The change");
  await expect(owner.getByRole("alert").filter({ hasText: "in the composer" })).toBeVisible();
});
