// A second opinion on the providers' protocols: a published mock server, which was written by others from the providers'
// own documentation, answers instead of the scripted provider.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import { startInstallation } from "../host/installation.mjs";
import { collect, connect, eventually, send, transportOn } from "./support.mjs";

const KEY = "sk-ant-a-key-that-the-mock-does-not-check";

const mock = new LLMock({ port: 0 });
let installation;
let agent;
before(async () => {
  mock.on({ userMessage: "the word: yes" }, { content: "yes" });
  const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25, input_tokens: 20, output_tokens: 5 };
  mock.on({ userMessage: "say hello", hasToolResult: false }, { content: "Hello from far away.", usage });
  mock.on(
    { userMessage: "what time", hasToolResult: false },
    { toolCalls: [{ id: "toolu_01", name: "current_time", arguments: {} }] },
  );
  mock.on({ userMessage: "what time", hasToolResult: true }, { content: "It is late." });
  await mock.start();
  installation = await startInstallation("production", new URL(mock.url).host);
  agent = await connect(installation);
  await agent.ready;
});
after(async () => {
  agent.close();
  await installation.stop();
  await mock.stop();
});

/** Asks in a conversation of its own, and gives the message that is stored of the answer. */
async function ask(text) {
  const { id } = await agent.call("createConversation", ["Second opinion"]);
  const client = await connect(installation, id);
  await client.ready;
  try {
    await collect(await send(transportOn(client), text));
    const url = `${installation.origin}/agents/personal-agent/personal/sub/conversation/${id}/get-messages`;
    const headers = { cookie: await installation.cookie() };
    return await eventually("the answer is stored", async () => {
      const messages = await (await fetch(url, { headers })).json();
      return messages.length === 2 && messages[1].metadata?.outcome && messages[1];
    });
  } finally {
    client.close();
  }
}

const textOf = ({ parts }) => parts.map(({ text }) => text ?? "").join("");

async function answers(model) {
  const said = await ask("Please say hello");
  assert.equal(textOf(said), "Hello from far away.");
  assert.equal(said.metadata.outcome, "completed");
  assert.equal(said.metadata.model, model);
  assert.deepEqual(said.metadata.usage, { inputTokens: 20, outputTokens: 5 });

  const timed = await ask("Please tell me what time it is");
  const call = timed.parts.find(({ type }) => type === "tool-current_time");
  assert.equal(call?.state, "output-available", JSON.stringify(timed.parts));
  assert.equal(textOf(timed), "It is late.");
  assert.equal(timed.metadata.outcome, "completed");
}

test("an endpoint that speaks OpenAI's protocol by others' lights answers and calls tools", async () => {
  await answers("scripted");
});

test("Anthropic's protocol by others' lights brings answers and calls of tools", async () => {
  const { anthropic } = await agent.call("getModelCatalog");
  const choice = { provider: "anthropic", model: anthropic[0] };
  await agent.call("setProviderKey", ["anthropic", KEY]);
  await agent.call("updateModelSettings", [choice]);
  assert.deepEqual(await agent.call("tryModel", [choice]), { answered: true, sentence: "The model answered." });
  await answers(choice.model);
});
