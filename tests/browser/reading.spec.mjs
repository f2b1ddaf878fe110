// Reading: the page follows new text only for a reader at its end, and older messages come without a jump.

import { randomUUID } from "node:crypto";
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
  rowLink,
  scroll,
  transcript,
  words,
} from "./page.mjs";

const long = { chunks: 60, bytes: 300, gateAfter: 30 };

const scrollTo = (page, top) => transcript(page).evaluate((element, top) => (element.scrollTop = top), top);

test("a reader at the end follows the answer", async ({ owner, play }) => {
  const answer = play(long);
  await begin(owner, answer.message);
  await expectWords(answers(owner), answer.after(30));
  await expect.poll(async () => (await scroll(owner)).toEnd).toBeLessThan(2);
  const { top } = await scroll(owner);
  await answer.release();
  await expectAnswer(owner, answer.text);
  await expect.poll(async () => (await scroll(owner)).toEnd).toBeLessThan(2);
  expect((await scroll(owner)).top).toBeGreaterThan(top);
  await expect(button(owner, "Jump to the end")).toBeHidden();
});

test("whoever has scrolled up stays there until they jump to the end", async ({ owner, play }) => {
  const answer = play({ ...long, gap: 20 });
  await begin(owner, answer.message);
  await expectWords(answers(owner), answer.after(30));
  await expect.poll(async () => (await scroll(owner)).toEnd).toBeLessThan(2);
  await transcript(owner).hover();
  await owner.mouse.wheel(0, -400);
  await expect(button(owner, "Jump to the end")).toBeVisible();
  await expect.poll(async () => (await scroll(owner)).toEnd).toBeGreaterThan(300);
  const before = await settled(owner);
  await answer.release();
  await expectAnswer(owner, answer.text);
  expect((await scroll(owner)).top).toBe(before);
  await button(owner, "Jump to the end").click();
  await expect.poll(async () => (await scroll(owner)).toEnd).toBeLessThan(2);
  await expect(button(owner, "Jump to the end")).toBeHidden();
});

test("scrolling back down to the end follows again", async ({ owner, play }) => {
  const answer = play(long);
  await begin(owner, answer.message);
  await expectWords(answers(owner), answer.after(30));
  await transcript(owner).hover();
  await owner.mouse.wheel(0, -400);
  await expect(button(owner, "Jump to the end")).toBeVisible();
  await owner.mouse.wheel(0, 4000);
  await expect(button(owner, "Jump to the end")).toBeHidden();
  await answer.release();
  await expectAnswer(owner, answer.text);
  await expect.poll(async () => (await scroll(owner)).toEnd).toBeLessThan(2);
});

test("sending a message leads to its end", async ({ owner, play }) => {
  const answer = play({ chunks: 60, bytes: 300 });
  await begin(owner, answer.message);
  await expectAnswer(owner, answer.text);
  await scrollTo(owner, 0);
  await expect(button(owner, "Jump to the end")).toBeVisible();
  await owner.getByRole("textbox", { name: "Message", exact: true }).fill("What next?");
  await owner.keyboard.press("Enter");
  await expectAnswer(owner, "You said: What next?");
  await expect(questions(owner).last()).toBeInViewport();
  await expect(answers(owner).last()).toBeInViewport();
});

test("a conversation opens at its end", async ({ owner, play }) => {
  const answer = play({ chunks: 60, bytes: 300 });
  const id = await begin(owner, answer.message);
  await expectAnswer(owner, answer.text);
  await newChat(owner);
  await converse(owner, "In between");
  await owner.locator(`a[href="/c/${id}"]`).click();
  await expectAnswer(owner, answer.text);
  await expect.poll(async () => (await scroll(owner)).toEnd).toBeLessThan(2);
  await open(owner, `/c/${id}`);
  await expectAnswer(owner, answer.text);
  await expect.poll(async () => (await scroll(owner)).toEnd).toBeLessThan(2);
  await expect(button(owner, "Jump to the end")).toBeHidden();
});

test("older messages come while scrolling up, without a jump, each once and in order", async ({ owner }) => {
  const id = await converse(owner, "Turn 0");
  await chatQuickly(owner, id, 59);
  await open(owner, `/c/${id}`);
  await expectAnswer(owner, "You said: Turn 59");
  await expect(words(transcript(owner))).toHaveCount(50);
  await expect.poll(async () => (await scroll(owner)).toEnd).toBeLessThan(2);
  for (const expected of [100, 120]) {
    const anchor = questions(owner)
      .filter({ hasText: /Turn \d+$/ })
      .first();
    const text = await words(anchor).textContent();
    const same = questions(owner).filter({ has: owner.getByText(text, { exact: true }) });
    const place = () => same.evaluate((element) => element.getBoundingClientRect().top);
    await scrollTo(owner, 100);
    const before = await place();
    await expect(words(transcript(owner))).toHaveCount(expected);
    await expect.poll(async () => Math.abs((await place()) - before)).toBeLessThan(3);
  }
  const turns = Array.from({ length: 60 }, (_, number) => [`Turn ${number}`, `You said: Turn ${number}`]);
  await expect(words(transcript(owner))).toHaveText(turns.flat());
  await scrollTo(owner, 0);
  await expect(words(questions(owner)).first()).toBeInViewport();
  await expect(rowLink(owner, "Turn 0")).toBeVisible();
});

test("older messages come without a jump to a reader who goes on scrolling", async ({ owner }) => {
  const id = await converse(owner, "Turn 0");
  await chatQuickly(owner, id, 29);
  await open(owner, `/c/${id}`);
  await expectAnswer(owner, "You said: Turn 29");
  await expect(words(transcript(owner))).toHaveCount(50);
  await expect.poll(async () => (await scroll(owner)).toEnd).toBeLessThan(2);
  // Scrolls by a little in the very moment in which the messages have come, before the page could see to its place.
  await transcript(owner).evaluate((element) => {
    new MutationObserver((_, observer) => {
      observer.disconnect();
      element.scrollTop -= 1;
    }).observe(element.querySelector("ol"), { childList: true });
  });
  const anchor = owner.getByText("Turn 5", { exact: true });
  const place = () => anchor.evaluate((element) => element.getBoundingClientRect().top);
  await scrollTo(owner, 100);
  const before = await place();
  await expect(words(transcript(owner))).toHaveCount(60);
  await expect.poll(async () => Math.abs((await place()) - before)).toBeLessThan(3);
});

/** Has many turns over a socket of its own, which is quicker than writing each. */
async function chatQuickly(page, id, turns) {
  const ids = Array.from({ length: turns }, () => [randomUUID(), randomUUID()]);
  await page.evaluate(
    ([id, ids]) =>
      new Promise((resolve, reject) => {
        const path = `/agents/personal-agent/personal/sub/conversation/${id}?client=flarebot-1`;
        const socket = new WebSocket(`ws://${location.host}${path}`);
        let next = 0;
        const sendNext = () => {
          if (next === ids.length) {
            socket.close();
            resolve();
            return;
          }
          const [request, message] = ids[next];
          next += 1;
          const parts = [{ type: "text", text: `Turn ${next}` }];
          const body = JSON.stringify({ messages: [{ id: message, role: "user", parts }], trigger: "submit-message" });
          socket.send(
            JSON.stringify({ type: "cf_agent_use_chat_request", id: request, init: { method: "POST", body } }),
          );
        };
        socket.onopen = sendNext;
        socket.onmessage = ({ data }) => {
          const frame = JSON.parse(data);
          if (frame.done && frame.id === ids[next - 1][0]) sendNext();
        };
        socket.onclose = () => reject(new Error("the socket was closed"));
      }),
    [id, ids],
  );
}

/** Where the transcript is once it no longer moves. */
async function settled(page) {
  let last;
  await expect
    .poll(async () => {
      const before = last;
      last = (await scroll(page)).top;
      return last - before;
    })
    .toBe(0);
  return last;
}
