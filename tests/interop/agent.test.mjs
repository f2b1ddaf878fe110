// The agent's socket as the unmodified client of the Agents SDK sees it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startInstallation } from "../host/installation.mjs";
import { connect, eventually } from "./support.mjs";

let installation;
before(async () => (installation = await startInstallation()));
after(() => installation.stop());

test("the client learns identity and state before it is ready", async () => {
  const seen = [];
  const client = await connect(installation, undefined, {
    onStateUpdate: (state, source) => seen.push({ state, source }),
    onIdentity: (name, agent) => seen.push({ name, agent }),
  });
  await client.ready;
  assert.equal(client.identified, true);
  assert.equal(client.name, "personal");
  assert.equal(client.agent, "personal-agent");
  assert.deepEqual(Object.keys(client.state).sort(), ["createdAt", "schemaVersion"]);
  assert.deepEqual(seen[0], { state: client.state, source: "server" });
  assert.deepEqual(seen[1], { name: "personal", agent: "personal-agent" });
  client.close();
});

test("a state that the client sets is refused and reaches nobody", async () => {
  const refusals = [];
  const client = await connect(installation, undefined, { onStateUpdateError: (error) => refusals.push(error) });
  const other = await connect(installation);
  await Promise.all([client.ready, other.ready]);
  const state = other.state;
  client.setState({ schemaVersion: 999, injected: true });
  await eventually("the refusal", () => refusals.length > 0);
  assert.equal(typeof refusals[0], "string");
  await other.call("getStatus");
  assert.deepEqual(other.state, state);
  assert.equal(other.frames.filter(({ type }) => type === "cf_agent_state").length, 1);
  client.close();
  other.close();
});

test("calls are answered, by name and by stub", async () => {
  const client = await connect(installation);
  await client.ready;
  const status = await client.call("getStatus");
  assert.equal(status.model.model, "scripted");
  const created = await client.call("createConversation", ["Research"]);
  assert.deepEqual(Object.keys(created).sort(), ["createdAt", "id", "name", "updatedAt"]);
  const renamed = await client.stub.renameConversation(created.id, "Release research");
  assert.equal(renamed.name, "Release research");
  const listed = await client.call("listConversations");
  assert.deepEqual(listed.find(({ id }) => id === created.id), renamed);
  assert.equal((await client.call("deleteConversation", [created.id])) ?? null, null);
  assert.deepEqual(await client.call("listConversations"), []);
  client.close();
});

test("a call that cannot be served rejects with a sentence", async () => {
  const client = await connect(installation);
  await client.ready;
  for (const [method, parameters] of [
    ["noSuchMethod", []],
    ["createConversation", [""]],
    ["renameConversation", ["0191e7a0-5b1c-7cc0-8000-000000000001", "Nobody"]],
    ["deleteConversation", ["not-a-uuid"]],
  ]) {
    await assert.rejects(client.call(method, parameters), (error) => error.message.length > 10, method);
  }
  assert.ok(await client.call("getStatus"));
  client.close();
});

test("the client gets no frame that it does not know", async () => {
  const client = await connect(installation);
  await client.ready;
  const { id } = await client.call("createConversation", ["Something that happens"]);
  client.send("not json");
  client.send(JSON.stringify({ type: "no_such_type" }));
  await client.call("deleteConversation", [id]);
  const known = new Set(["cf_agent_identity", "cf_agent_state", "cf_agent_state_error", "rpc"]);
  assert.deepEqual(client.frames.filter(({ type }) => !known.has(type)), []);
  client.close();
});

test("the client reconnects by itself after the server was killed", async () => {
  const client = await connect(installation);
  await client.ready;
  const { id } = await client.call("createConversation", ["Kept"]);
  const closed = new Promise((resolve) => client.addEventListener("close", resolve, { once: true }));
  await installation.restart();
  await closed;
  await client.ready;
  const listed = await client.call("listConversations");
  assert.deepEqual(listed.map((conversation) => conversation.id), [id]);
  await client.call("deleteConversation", [id]);
  client.close();
});

test("a client without a session never becomes ready", async () => {
  const { default: WebSocket } = await import("ws");
  const { host, origin } = new URL(installation.origin);
  const status = await new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://${host}/agents/personal-agent/personal`, { headers: { origin } });
    socket.on("unexpected-response", (_, response) => resolve(response.statusCode));
    socket.on("open", () => reject(new Error("the socket was opened")));
    socket.on("error", () => {});
  });
  assert.equal(status, 401);
});
