// One runtime as a process that a test can kill: takes its options as one JSON argument, prints one JSON line when it
// is ready, serves a control address, and stops when its standard input ends, so that it never outlives its test.

import { createServer } from "node:http";
import { startRuntime } from "./runtime.mjs";

const runtime = await startRuntime(JSON.parse(process.argv[2]));

const control = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://control");
  try {
    if (pathname === "/refused") {
      response.end(JSON.stringify(runtime.refused));
    } else if (pathname.startsWith("/fixture/")) {
      const answer = await runtime.fixture(request.url.slice("/fixture".length));
      response.writeHead(answer.status).end(await answer.text());
    } else {
      response.writeHead(404).end();
    }
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
control.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify({ control: control.address().port })}\n`);
});

process.stdin.resume();
process.stdin.on("end", async () => {
  await runtime.stop();
  process.exit();
});
