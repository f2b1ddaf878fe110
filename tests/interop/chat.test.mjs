// A conversation as the unmodified client and chat transport of the Agents SDK have it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { script, startInstallation } from "../host/installation.mjs";
import { collect, connect, eventually, send, textOf, transportOn } from "./support.mjs";

let installation;
let agent;
before(async () => {
  installation = await startInstallation();
  agent = await connect(installation);
  await agent.ready;
});
after(async () => {
  agent.close();
  await installation.stop();
});

async function newConversation() {
  const { id } = await agent.call("createConversation", ["Interop"]);
  const client = await connect(installation, id);
  await client.ready;
  return { id, client, transport: transportOn(client) };
}

/** The transcript over HTTP, as the SDK's clients fetch it. */
async function messages(id) {
  const url = `${installation.origin}/agents/personal-agent/personal/sub/conversation/${id}/get-messages`;
  const response = await fetch(url, { headers: { cookie: await installation.cookie() } });
  assert.equal(response.status, 200);
  return response.json();
}

test("a conversation introduces itself with its transcript first", async () => {
  const { id, client } = await newConversation();
  assert.equal(client.name, id);
  assert.equal(client.agent, "conversation");
  const [first, second] = client.frames;
  assert.deepEqual(first, { type: "cf_agent_chat_messages", messages: [], connect: true });
  assert.equal(second.type, "cf_agent_identity");
  client.close();
});

test("a turn runs through the transport from start to finish", async () => {
  const { id, client, transport } = await newConversation();
  const { chunks, text } = await collect(await send(transport, script({ label: "turn", text: "Hello, world!" })));
  assert.equal(text, "Hello, world!");
  const types = chunks.map(({ type }) => type);
  assert.equal(types[0], "start");
  assert.equal(types.at(-1), "finish");
  for (const type of ["start-step", "text-start", "text-end", "finish-step"]) assert.ok(types.includes(type), type);
  assert.equal(chunks.at(-1).finishReason, "stop");
  assert.equal(transport.activeServerTurnId, null);
  const stored = await messages(id);
  assert.deepEqual(stored.map(({ role }) => role), ["user", "assistant"]);
  assert.equal(stored[1].id, chunks[0].messageId);
  const whole = await eventually("the whole transcript after the turn", () =>
    client.frames.findLast(({ type, connect }) => type === "cf_agent_chat_messages" && !connect),
  );
  assert.deepEqual(whole.messages, stored);
  client.close();
});

test("messages that the client leaves out are not deleted", async () => {
  const { id, client, transport } = await newConversation();
  await collect(await send(transport, "First question"));
  await collect(await send(transport, "Second question"));
  assert.equal((await messages(id)).length, 4);
  const [exchange] = await installation.exchanges("Second question");
  assert.deepEqual(exchange.conversation.map(([role]) => role).join(""), "uau");
  client.close();
});

test("a transcript that the client pushes is answered with the true one", async () => {
  const { id, client, transport } = await newConversation();
  await collect(await send(transport, "First question"));
  const before = await messages(id);
  client.frames.length = 0;
  client.send(JSON.stringify({ type: "cf_agent_chat_messages", messages: [] }));
  const answered = await eventually("the true transcript", () =>
    client.frames.find(({ type }) => type === "cf_agent_chat_messages"),
  );
  assert.deepEqual(answered.messages, before);
  assert.deepEqual(await messages(id), before);
  client.close();
});

test("cancelling the server's turn reaches the provider and keeps the text", async () => {
  const { id, client, transport } = await newConversation();
  const stream = await send(transport, script({ label: "cancelled", chunks: 2000, gap: 10 }));
  const reader = stream.getReader();
  const chunks = [];
  while (textOf(chunks).length < 100) chunks.push((await reader.read()).value);
  assert.equal(transport.cancelActiveServerTurn(), true);
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  }, { name: "AbortError" });
  await eventually("the provider's connection is closed", async () => {
    const [exchange] = await installation.exchanges("cancelled");
    return exchange.end === "closed by caller";
  });
  const answer = await eventually("the stopped answer", async () => (await messages(id))[1]);
  const text = answer.parts.map((part) => part.text ?? "").join("");
  assert.ok(text.startsWith(textOf(chunks)));
  assert.equal((await collect(await send(transport, "And now?"))).text, "You said: And now?");
  client.close();
});

test("an error surfaces through the transport and the next turn works", async () => {
  const { id, client, transport } = await newConversation();
  for (const fields of [{ status: 500 }, { status: 401 }, { ending: "cut" }, { ending: "error_event" }]) {
    const stream = await send(transport, script({ label: "failing", ...fields }));
    await assert.rejects(collect(stream), (error) => {
      assert.ok(error.message.length > 10 && !error.message.includes("sk-provider"), error.message);
      return true;
    });
    assert.equal((await collect(await send(transport, "Next"))).text, "You said: Next");
  }
  assert.equal((await messages(id)).at(-1).parts.at(-1).text, "You said: Next");
  client.close();
});

test("there is nothing to reconnect to while the conversation is idle", async () => {
  const { client, transport } = await newConversation();
  const asked = Date.now();
  assert.equal(await transport.reconnectToStream({ chatId: "chat" }), null);
  assert.ok(Date.now() - asked < 4000, "the server's own answer came, not the client's time-out");
  client.close();
});

test("a second tab sees the turn of the first", async () => {
  const { id, client, transport } = await newConversation();
  const second = await connect(installation, id);
  await second.ready;
  const { text } = await collect(await send(transport, script({ label: "tabs", chunks: 10, gap: 10 })));
  const chunks = await eventually("the end in the second tab", () => {
    const responses = second.frames.filter(({ type }) => type === "cf_agent_use_chat_response");
    return responses.at(-1)?.done && responses.filter(({ body }) => body).map(({ body }) => JSON.parse(body));
  });
  assert.equal(textOf(chunks), text);
  client.close();
  second.close();
});

test("a deleted conversation ends its client for good", async () => {
  const { id, client } = await newConversation();
  const closed = new Promise((resolve) => client.addEventListener("close", resolve, { once: true }));
  await agent.call("deleteConversation", [id]);
  assert.equal((await closed).code, 4004);
  await eventually("the client gives up", () => client.connectionError);
  assert.equal(client.connectionError.code, 4004);
});

test("a conversation's client reconnects after the server was killed", async () => {
  const { id, client, transport } = await newConversation();
  await collect(await send(transport, "Remember this"));
  const before = await messages(id);
  const closed = new Promise((resolve) => client.addEventListener("close", resolve, { once: true }));
  await installation.restart();
  await closed;
  client.frames.length = 0;
  await client.ready;
  assert.equal(client.name, id);
  const transcript = client.frames.find(({ type }) => type === "cf_agent_chat_messages");
  assert.deepEqual(transcript?.messages ?? before, before);
  assert.equal((await collect(await send(transport, "Still there?"))).text, "You said: Still there?");
  client.close();
});
