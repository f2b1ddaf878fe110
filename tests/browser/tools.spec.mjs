// What the owner sees of the tools that an answer uses.

import { expect, test } from "./fixtures.mjs";
import { answers, begin, conversations, expectIdle, expectWords, reload } from "./page.mjs";

test("a tool is shown as a card that opens to what went in and what came out", async ({ owner, play }) => {
  const answer = play({ tools: [[{ name: "current_time", arguments: {} }]], text: "It is late." });
  await begin(owner, answer.message);
  await expectIdle(owner);
  const card = answers(owner).getByRole("group").filter({ hasText: "Look at the clock" }).first();
  await expect(card).toContainText("done");
  await expect(card.getByText("utc")).toHaveCount(0);
  await card.getByText("Look at the clock").click();
  await expect(card.getByText("utc")).toBeVisible();
  await expectWords(answers(owner), "It is late.");
  await reload(owner);
  await expect(answers(owner)).toContainText("Look at the clock");
});

test("a tool renames the conversation, and the sidebar follows", async ({ owner, play }) => {
  const rename = { name: "rename_conversation", arguments: { name: "A name of its own" } };
  const answer = play({ tools: [[rename]], text: "Done." });
  await begin(owner, answer.message);
  await expect(conversations(owner).getByText("A name of its own", { exact: true })).toBeVisible();
  await expectWords(answers(owner), "Done.");
});
