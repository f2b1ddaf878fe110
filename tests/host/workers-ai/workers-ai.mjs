// Stands in for the AI binding: takes what the binding takes, asks the scripted provider over HTTP, and gives back what
// the binding gives: a stream of bytes, or an object, or an error that is thrown.

import { WorkerEntrypoint } from "cloudflare:workers";

export class WorkersAi extends WorkerEntrypoint {
  async run(model, input, { signal } = {}) {
    const answer = await fetch(`http://${this.env.PROVIDER}/workers-ai/run`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model, ...input }),
      signal,
    });
    if (!answer.ok) throw Object.assign(new Error(await answer.text()), { name: "InferenceUpstreamError" });
    return answer.headers.get("content-type") === "application/json" ? answer.json() : answer.body;
  }
}

export default {
  fetch: () => new Response(null, { status: 404 }),
};
