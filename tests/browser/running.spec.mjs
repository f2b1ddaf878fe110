// A running answer belongs to the server: reloads, other tabs and closed tabs neither lose nor double a word of it.

import { expect, test } from "./fixtures.mjs";
import {
  answers,
  begin,
  button,
  converse,
  expectAnswer,
  expectWords,
  newChat,
  open,
  questions,
  reload,
  row,
  rowLink,
} from "./page.mjs";

test("a reload in the middle of an answer shows all of it once and goes on", async ({ owner, play }) => {
  const answer = play({ chunks: 12, gateAfter: 7 });
  await begin(owner, answer.message);
  await expectWords(answers(owner), answer.after(7));
  await reload(owner);
  await expectWords(answers(owner), answer.after(7));
  await expect(questions(owner)).toHaveCount(1);
  await expect(button(owner, "Stop")).toBeVisible();
  await answer.release();
  await expectAnswer(owner, answer.text);
  await reload(owner);
  await expectAnswer(owner, answer.text);
  await expect(answers(owner)).toHaveCount(1);
});

test("reloads while words stream in neither lose nor double any", async ({ owner, play }) => {
  const answer = play({ chunks: 400, gap: 15 });
  await begin(owner, answer.message);
  for (const seen of [20, 100, 200]) {
    await expect.poll(async () => (await answers(owner).allTextContents()).join("").length).toBeGreaterThan(seen * 12);
    await reload(owner);
  }
  await expectAnswer(owner, answer.text);
  await expect(answers(owner)).toHaveCount(1);
});

test("a second tab shows the same answer live", async ({ owner, context, play }) => {
  const answer = play({ chunks: 12, gateAfter: 5 });
  const id = await begin(owner, answer.message);
  await expectWords(answers(owner), answer.after(5));
  const second = await context.newPage();
  await open(second, `/c/${id}`);
  await expectWords(answers(second), answer.after(5));
  await answer.release();
  for (const tab of [owner, second]) await expectAnswer(tab, answer.text);
});

test("a message sent in one tab appears in the other", async ({ owner, context, play }) => {
  const id = await converse(owner, "From the first tab");
  const second = await context.newPage();
  await open(second, `/c/${id}`);
  await expectAnswer(second, "You said: From the first tab");
  const answer = play({ text: "Seen by both", chunks: 4, gateAfter: 2 });
  await second.getByRole("textbox", { name: "Message", exact: true }).fill(answer.message);
  await second.keyboard.press("Enter");
  await expectWords(questions(owner).last(), answer.message);
  await expectWords(answers(owner).last(), answer.after(2));
  await answer.release();
  for (const tab of [owner, second]) await expectAnswer(tab, answer.text);
});

test("closing the tab does not stop the answer", async ({ owner, context, play }) => {
  const answer = play({ chunks: 12, gateAfter: 5 });
  const id = await begin(owner, answer.message);
  await expectWords(answers(owner), answer.after(5));
  await owner.close();
  await answer.release();
  await expect.poll(async () => (await answer.exchanges()).map(({ end }) => end)).toEqual(["played"]);
  const later = await context.newPage();
  await open(later, `/c/${id}`);
  await expectAnswer(later, answer.text);
});

test("an answer goes on behind another conversation, and is marked when it is there", async ({ owner, play }) => {
  const answer = play({ chunks: 12, gateAfter: 5 });
  const id = await begin(owner, answer.message);
  await expectWords(answers(owner), answer.after(5));
  const link = owner.locator(`a[href="/c/${id}"]`);
  await newChat(owner);
  await expect(link).toContainText("answering");
  await converse(owner, "Meanwhile");
  await answer.release();
  await expect(link).toContainText("new answer");
  await link.click();
  await expectAnswer(owner, answer.text);
  await expect(link).not.toContainText("new answer");
  await rowLink(owner, "Meanwhile").click();
  await expectAnswer(owner, "You said: Meanwhile");
  await expect(link).not.toContainText("new answer");
  await expect(row(owner, "Meanwhile")).toBeVisible();
});

test("leaving a running answer and coming back shows all of it once", async ({ owner, play }) => {
  const answer = play({ chunks: 12, gateAfter: 5 });
  await begin(owner, answer.message);
  await expectWords(answers(owner), answer.after(5));
  await newChat(owner);
  await owner.goBack();
  await expectWords(answers(owner), answer.after(5));
  await answer.release();
  await expectAnswer(owner, answer.text);
  await expect(answers(owner)).toHaveCount(1);
});
