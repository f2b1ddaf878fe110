// Which links of an answer can be followed: those to pages that were read for it, and no others.

import { expect, test } from "./fixtures.mjs";
import { answers, converse, reload, words } from "./page.mjs";

const READ = "https://docs.example/guide";
const CONVERSATION = /\/sub\/conversation\//;

const source = (finalUrl, title) => ({
  type: "tool-read_url",
  toolName: "read_url",
  toolCallId: `read-${title}`,
  state: "output-available",
  input: { url: finalUrl },
  output: { id: title, kind: "page", requestedUrl: finalUrl, finalUrl, title, content: "Words.", truncated: false },
});

const TEXT = [
  `See [the <b>guide</b>](${READ}) first.`,
  "Not [elsewhere](https://elsewhere.example/), nor [this](javascript:alert(1)),",
  `nor ${READ}/more, nor [more](${READ}?q=secret).`,
].join("\n");

/** The page is told that its answer is this one. */
async function showAnswer(page, parts) {
  await page.routeWebSocket(CONVERSATION, (client) => {
    const server = client.connectToServer();
    server.onMessage((text) => {
      const frame = JSON.parse(text);
      if (frame.type === "flarebot_history") {
        for (const message of frame.messages.filter(({ role }) => role === "assistant")) message.parts = parts;
      }
      client.send(JSON.stringify(frame));
    });
  });
  await converse(page, "Cite");
  await reload(page);
  await expect(answers(page).getByText("Not ")).toBeVisible();
}

test("a link to a page that was read is numbered and gives nothing away", async ({ owner }) => {
  await showAnswer(owner, [source(READ, "The guide"), { type: "text", text: TEXT, state: "done" }]);
  const link = words(answers(owner)).getByRole("link");
  await expect(link).toHaveCount(1);
  await expect(link).toHaveText("the <b>guide</b>[1]");
  await expect(link).toHaveAttribute("href", READ);
  await expect(link).toHaveAttribute("target", "_blank");
  await expect(link).toHaveAttribute("rel", "noopener noreferrer nofollow");
  await expect(words(answers(owner))).toContainText("[elsewhere](https://elsewhere.example/)");
  await expect(words(answers(owner))).toContainText("[this](javascript:alert(1))");
  await expect(words(answers(owner))).toContainText(`[more](${READ}?q=secret)`);
  const list = answers(owner).getByRole("list");
  await expect(answers(owner).getByRole("heading", { name: "Pages read for this answer" })).toBeVisible();
  await expect(list.getByRole("link", { name: "[1] The guide" })).toHaveAttribute("href", READ);
  await expect(list).toContainText("docs.example");
});

test("without a page that was read, every link is text", async ({ owner }) => {
  const failed = { ...source(READ, "The guide"), state: "output-error", output: undefined, errorText: "Not found." };
  await showAnswer(owner, [failed, { type: "text", text: TEXT, state: "done" }]);
  await expect(answers(owner).getByRole("link")).toHaveCount(0);
  await expect(words(answers(owner))).toHaveText(TEXT);
});
