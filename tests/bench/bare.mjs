// The yardstick: the provider's bytes are passed on to a socket and nothing else is done, once by a Worker alone and
// once by a Durable Object. Whatever an answer costs beyond this is the product's own doing.

import { DurableObject } from "cloudflare:workers";

async function pass(environment, socket, message) {
  const answer = await fetch(`${environment.PROVIDER}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ stream: true, messages: [{ role: "user", content: message }] }),
  });
  const reader = answer.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    socket.send(value);
  }
  socket.send("");
}

export class Bare extends DurableObject {
  fetch() {
    const [client, server] = Object.values(new WebSocketPair());
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  webSocketMessage(socket, message) {
    return pass(this.env, socket, message);
  }
}

export default {
  fetch(request, environment) {
    if (request.headers.get("upgrade") !== "websocket") return new Response(null, { status: 404 });
    if (new URL(request.url).pathname === "/object") return environment.BARE.getByName("bare").fetch(request);
    const [client, server] = Object.values(new WebSocketPair());
    server.accept();
    server.addEventListener("message", ({ data }) => {
      pass(environment, server, data).catch(() => server.close(1011));
    });
    return new Response(null, { status: 101, webSocket: client });
  },
};
