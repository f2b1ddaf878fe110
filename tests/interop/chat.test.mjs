// A conversation as the unmodified client and chat transport of the Agents SDK have it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { script, startInstallation } from "../host/installation.mjs";
import { collect, connect, eventually, send, textOf, transportOn } from "./support.mjs";

let installation;
let agent;
const clients = [];
before(async () => {
  installation = await startInstallation();
  agent = await connect(installation);
  await agent.ready;
});
after(async () => {
  agent.close();
  // A test that failed has left its own open, and it would come back for ever.
  for (const client of clients) client.close();
  await installation.stop();
});

async function newConversation() {
  const { id } = await agent.call("createConversation", ["Interop"]);
  const client = await connect(installation, id);
  clients.push(client);
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
  const third = await eventually("the state", () => client.frames[2]);
  assert.deepEqual(third, { type: "cf_agent_state", state: { activities: [] } });
  assert.deepEqual(client.state, { activities: [] });
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

/** The chunks that arrived outside of a replay. */
function liveChunks(client) {
  const live = client.frames.filter(({ type, body, replay }) => type === "cf_agent_use_chat_response" && body && !replay);
  return live.map(({ body }) => JSON.parse(body));
}

/** A turn that stands in its middle until its gate is opened. */
async function turnInTheMiddle(label, fields = {}) {
  const conversation = await newConversation();
  const { client, transport } = conversation;
  const text = Array.from({ length: 40 }, (_, number) => `#${String(number).padStart(6, "0")}....;`).join("");
  const stream = await send(transport, script({ label, chunks: 40, gap: 5, gateAfter: 20, ...fields }));
  const first = collect(stream);
  await eventually("half the answer", () => textOf(liveChunks(client)).length >= text.length / 2);
  return { ...conversation, first, text };
}

/** Lets the client lose its connection, joins the running turn again, and gives what the joined stream says. */
async function resumeAfter(loss, { client, transport, first }, label) {
  const closed = new Promise((resolve) => client.addEventListener("close", resolve, { once: true }));
  await loss();
  await closed;
  client.frames.length = 0;
  await client.ready;
  assert.equal((await first).chunks.at(-1).type, "error", "the stream of the lost connection ends as interrupted");
  const stream = await transport.reconnectToStream({ chatId: "chat" });
  assert.notEqual(stream, null, "there is a turn to join");
  await installation.release(label);
  return collect(stream);
}

function assertOneReplay(client, id) {
  const frames = client.frames.filter((frame) => frame.type === "cf_agent_use_chat_response" && frame.id === id);
  const completed = frames.findIndex(({ replayComplete }) => replayComplete);
  assert.notEqual(completed, -1, "the replay says that it is complete");
  assert.ok(frames.slice(0, completed).every(({ replay }) => replay), "nothing is sent live before the replay is complete");
  assert.ok(frames.slice(completed + 1).every(({ replay }) => !replay), "nothing is replayed twice");
}

test("a client that comes back in the middle of an answer joins it with one replay", async () => {
  const turn = await turnInTheMiddle("joined");
  const { client, text, id } = turn;
  const joined = await resumeAfter(() => client.reconnect(), turn, "joined");
  assert.equal(joined.text, text);
  const offers = client.frames.filter(({ type }) => type === "cf_agent_stream_resuming");
  assert.ok(offers.length > 0 && offers.every((offer) => offer.id === offers[0].id));
  assert.ok(
    client.frames.findIndex(({ type }) => type === "cf_agent_stream_resuming") <
      client.frames.findIndex(({ type }) => type === "cf_agent_use_chat_response"),
    "nothing of the answer comes before the offer",
  );
  assertOneReplay(client, offers[0].id);
  const [, answer] = await messages(id);
  assert.equal(joined.chunks[0].messageId, answer.id);
  assert.equal((await installation.exchanges("joined")).length, 1);
  client.close();
});

test("the client has the whole answer exactly once after the server was killed in its middle", async () => {
  for (const [label, continuation] of [["killed", "continues"], ["killed-over", "starts_over"]]) {
    const turn = await turnInTheMiddle(label, { continuation });
    const { id, client, transport, text } = turn;
    const joined = await resumeAfter(() => installation.restart(), turn, label);
    assert.equal(joined.text, text, "what the client shows");
    const stored = await eventually("the answer is stored", async () => {
      const answers = (await messages(id)).filter(({ role, metadata }) => role === "assistant" && metadata?.outcome);
      return answers.length > 0 && answers;
    });
    assert.equal(stored.length, 1);
    assert.equal(stored[0].parts.map((part) => part.text ?? "").join(""), text, "what is stored");
    assert.equal(joined.chunks[0].messageId, stored[0].id);
    assert.equal((await collect(await send(transport, "And now?"))).text, "You said: And now?");
    client.close();
  }
});

test("a turn that was killed before its first token is answered after the restart", async () => {
  const { id, client, transport } = await newConversation();
  const faults = { requests: 1, beforePiece: 0, ending: "silence" };
  const stream = await send(transport, script({ label: "killed-early", text: "Here I am.", faults }));
  const first = collect(stream).catch(() => {});
  await eventually("the provider is asked", async () => (await installation.exchanges("killed-early")).length > 0);
  const closed = new Promise((resolve) => client.addEventListener("close", resolve, { once: true }));
  await installation.restart();
  await closed;
  await first;
  await eventually("the answer", async () => (await messages(id))[1]?.parts.at(-1)?.text === "Here I am.");
  client.close();
});
