// What goes wrong is said in words, costs no text of the owner's, and does not stand in the way of the next message.

import { expect, test } from "./fixtures.mjs";
import {
  answers,
  begin,
  composer,
  converse,
  expectAnswer,
  expectIdle,
  expectWords,
  newChat,
  questions,
  reload,
  rowLink,
  send,
} from "./page.mjs";

const failures = [
  ["a provider that fails", { status: 500 }, "The model provider has a problem."],
  ["a provider that refuses the key", { status: 401 }, "The model provider did not accept the key."],
  ["a provider that is too busy", { status: 429, retryAfter: "7" }, "The model provider is limiting requests."],
  ["an answer that is cut off", { chunks: 3, ending: "cut" }, "The answer broke off before its end."],
  ["an error within an answer", { chunks: 3, ending: "error_event" }, "The model provider is overloaded."],
];

for (const [what, fields, sentence] of failures) {
  test(`${what} leaves a readable notice, and the next message works`, async ({ owner, play }) => {
    const answer = play(fields);
    await begin(owner, answer.message);
    const notice = answers(owner).last().getByRole("note");
    await expect(notice).toContainText(sentence);
    await expect(owner.getByText("sk-provider")).toHaveCount(0);
    if (fields.chunks) await expectWords(answers(owner), answer.text);
    await expectIdle(owner);
    await reload(owner);
    await expect(notice).toContainText(sentence);
    await send(owner, "Once more");
    await expectAnswer(owner, "You said: Once more");
  });
}

test("a message that the server refuses comes back as the draft", async ({ owner, play }) => {
  const running = play({ chunks: 2, gateAfter: 1 });
  await begin(owner, running.message);
  await expectWords(answers(owner), running.after(1));
  for (let number = 1; number <= 32; number += 1) await send(owner, `Waiting ${number}`);
  await expect(questions(owner)).toHaveCount(33);
  await send(owner, "One too many");
  await expect(owner.getByRole("alert")).toContainText("Too many messages are waiting for an answer");
  await expect(composer(owner)).toHaveValue("One too many");
  await expect(questions(owner)).toHaveCount(33);
  await reload(owner);
  await expect(composer(owner)).toHaveValue("One too many");
  await running.release();
  await expectAnswer(owner, "You said: Waiting 32");
  await expectIdle(owner);
  await composer(owner).press("Enter");
  await expectAnswer(owner, "You said: One too many");
});

test("a message that is too long stays where it was written", async ({ owner }) => {
  const long = "long ".repeat(60_000);
  await composer(owner).fill(long);
  await composer(owner).press("Enter");
  await expect(owner.getByRole("alert")).toContainText("longer than 256 KB");
  await expect(composer(owner)).toHaveValue(long);
  await expect(owner).toHaveURL("/");
  await send(owner, "Short");
  await expectAnswer(owner, "You said: Short");
  await expect(owner.getByRole("alert")).toBeHidden();
});

test("each conversation keeps its own draft, over a reload too", async ({ owner }) => {
  await converse(owner, "Draft holder one");
  await composer(owner).fill("Draft of one");
  await newChat(owner);
  await expect(composer(owner)).toHaveValue("");
  await converse(owner, "Draft holder two");
  await composer(owner).fill("Draft of two\nwith a second line");
  await newChat(owner);
  await composer(owner).fill("Draft of none yet");
  await reload(owner);
  await expect(composer(owner)).toHaveValue("Draft of none yet");
  await rowLink(owner, "Draft holder one").click();
  await expect(composer(owner)).toHaveValue("Draft of one");
  await rowLink(owner, "Draft holder two").click();
  await expect(composer(owner)).toHaveValue("Draft of two\nwith a second line");
  await reload(owner);
  await expect(composer(owner)).toHaveValue("Draft of two\nwith a second line");
  await composer(owner).press("Enter");
  await expectAnswer(owner, "You said: Draft of two\nwith a second line");
  await reload(owner);
  await expect(composer(owner)).toHaveValue("");
});
