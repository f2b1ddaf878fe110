// The yardstick for latency: a Durable Object that passes the provider's text on to a socket and does nothing else.

import { DurableObject } from "cloudflare:workers";

export class Bare extends DurableObject {
  fetch() {
    const [client, server] = Object.values(new WebSocketPair());
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  async webSocketMessage(socket, message) {
    const answer = await fetch(`${this.env.FLAREBOT_COMPATIBLE_BASE_URL}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "scripted", stream: true, messages: [{ role: "user", content: message }] }),
    });
    const decoder = new TextDecoder();
    let rest = "";
    for await (const bytes of answer.body) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        if (!line.startsWith("data: {")) continue;
        const text = JSON.parse(line.slice(6)).choices[0]?.delta.content;
        if (text) socket.send(text);
      }
    }
    socket.send("");
  }

  webSocketClose(socket, code) {
    socket.close(code === 1005 ? 1000 : code);
  }
}

export default {
  fetch(request, env) {
    return env.BARE.getByName("bare").fetch(request);
  },
};
