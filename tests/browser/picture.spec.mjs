// The picture of the README: the real page with a plausible conversation. Made when FLAREBOT_SCREENSHOT is set.

import { fileURLToPath } from "node:url";
import { test } from "./fixtures.mjs";
import { begin, converse, expectAnswer, expectIdle, newChat } from "./page.mjs";

const picture = fileURLToPath(new URL("../../docs/page.png", import.meta.url));

const QUESTION = "I have one free Sunday in Lucerne and no car. What would you do?";

const ANSWER = `Take the boat, walk a little, and come back over the Rigi:

09:00 – The boat from the station to Weggis, three quarters of an hour on the lake.
10:00 – Along the shore to Vitznau. The path is flat, with places to swim on the way.
12:30 – Lunch by the landing stage in Vitznau.
14:00 – The cogwheel railway up to Rigi Kulm. It opened in 1871, as the first one in Europe.
17:00 – Down the other side to Arth-Goldau, and back to Lucerne by train.

One day pass covers boat, railway and train. If it rains, stay in town: the Rosengart Collection is small enough for a morning.`;

test("the picture of the page", async ({ owner, play }) => {
  for (const name of ["Summary of the meeting notes", "Why does bread go stale?", "A letter to the landlord"]) {
    await converse(owner, name);
    await newChat(owner);
  }
  const answer = play({ text: ANSWER, chunks: 40 });
  await owner.routeWebSocket(/\/conversation\//, (page) => sayOneThingForAnother(page, QUESTION, answer.message));
  await begin(owner, QUESTION);
  await expectAnswer(owner, ANSWER);
  await expectIdle(owner);
  await owner.mouse.move(0, 0);
  await owner.screenshot({ path: picture, animations: "disabled" });
});

/** The page shows `shown` where the server, and so the provider, has `meant`: an answer's script is no picture. */
function sayOneThingForAnother(page, shown, meant) {
  const server = page.connectToServer();
  const withinBody = (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1);
  page.onMessage((frame) => server.send(frame.replaceAll(withinBody(shown), () => withinBody(meant))));
  server.onMessage((frame) => page.send(frame.replaceAll(JSON.stringify(meant), () => JSON.stringify(shown))));
}
