// The published Agents SDK client against an installation. The client itself is used as it comes from the registry;
// only its `WebSocket` option is a class that adds what a browser would add by itself: the cookie and the origin.

import { AgentClient } from "agents/client";
import { WebSocketChatTransport } from "agents/chat/transport";
import WebSocket from "ws";

/** A client for the agent, or for a conversation by its id. */
export async function connect(installation, conversation, options = {}) {
  const cookie = await installation.cookie();
  const { host, origin } = new URL(installation.origin);
  class BrowserSocket extends WebSocket {
    constructor(address, protocols) {
      super(address, protocols, { headers: { cookie, origin } });
    }
  }
  const path = `agents/personal-agent/personal/sub/conversation/${conversation}`;
  const client = new AgentClient({
    agent: "PersonalAgent",
    name: "personal",
    host,
    protocol: "ws",
    WebSocket: BrowserSocket,
    minReconnectionDelay: 100,
    maxReconnectionDelay: 500,
    ...(conversation && { basePath: path }),
    ...options,
  });
  const frames = [];
  client.addEventListener("message", ({ data }) => frames.push(JSON.parse(data)));
  return Object.assign(client, { frames });
}

/** The SDK's chat transport on a client, with the resume frames led to it as its documentation asks. */
export function transportOn(client) {
  const transport = new WebSocketChatTransport({ agent: client });
  const handlers = {
    cf_agent_stream_resuming: (frame) => transport.handleStreamResuming(frame),
    cf_agent_stream_resume_none: (frame) => transport.handleStreamResumeNone(frame),
    cf_agent_stream_pending: () => transport.handleStreamPending(),
  };
  client.addEventListener("message", ({ data }) => {
    const frame = JSON.parse(data);
    handlers[frame.type]?.(frame);
  });
  return transport;
}

/** Sends one message of the owner through the transport; `before` are the messages that the client already shows. */
export function send(transport, text, before = []) {
  const message = { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] };
  return transport.sendMessages({
    chatId: "chat",
    messages: [...before, message],
    trigger: "submit-message",
    messageId: message.id,
    abortSignal: undefined,
  });
}

/** All chunks of a stream, and their text. */
export async function collect(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return { chunks, text: textOf(chunks) };
}

/** The text that chunks carry. */
export const textOf = (chunks) => chunks.filter(({ type }) => type === "text-delta").map(({ delta }) => delta).join("");

/** Waits until `ask` answers with something. */
export async function eventually(what, ask, patience = 20_000) {
  const deadline = Date.now() + patience;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${patience} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
