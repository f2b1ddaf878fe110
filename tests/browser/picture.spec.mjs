// The picture of the README: the real page with a plausible conversation. Made when FLAREBOT_SCREENSHOT is set.

import { fileURLToPath } from "node:url";
import { test } from "./fixtures.mjs";
import { converse, expectAnswer, expectIdle, newChat, send } from "./page.mjs";

const picture = fileURLToPath(new URL("../../docs/page.png", import.meta.url));

const TALK = [
  [
    "I have one free Sunday in Lucerne and no car. What would you do?",
    `Take the boat, walk a little, and come back over the Rigi:

09:00 – The boat from the station to Weggis, three quarters of an hour on the lake.
10:00 – Along the shore to Vitznau. The path is flat, with places to swim on the way.
12:30 – Lunch by the landing stage in Vitznau.
14:00 – The cogwheel railway up to Rigi Kulm. It opened in 1871, as the first one in Europe.
17:00 – Down the other side to Arth-Goldau, and back to Lucerne by train.`,
  ],
  [
    "And if it rains?",
    `Then stay in town. The Rosengart Collection is small enough for a morning, and the Museum of Transport is large enough for the rest of the day.`,
  ],
];

const OTHERS = [
  "A letter to the landlord",
  "Names for a sourdough starter",
  "Why does bread go stale?",
  "Summary of the meeting notes",
];

test("the picture of the page", async ({ owner, play }) => {
  for (const name of OTHERS.toReversed()) {
    await converse(owner, name);
    await newChat(owner);
  }
  const scripts = TALK.map(([question, text]) => ({ question, answer: play({ text, chunks: 40 }) }));
  await owner.routeWebSocket(/\/conversation\//, (page) => {
    sayOneThingForAnother(
      page,
      scripts.map(({ question, answer }) => [question, answer.message]),
    );
  });
  for (const { question, answer } of scripts) {
    await send(owner, question);
    await expectAnswer(owner, answer.text);
    await expectIdle(owner);
  }
  await owner.mouse.move(0, 0);
  await owner.screenshot({ path: picture, animations: "disabled" });
});

/** The page shows the first of each pair where the server, and so the provider, has the second: a script is no picture. */
function sayOneThingForAnother(page, pairs) {
  const server = page.connectToServer();
  const withinBody = (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1);
  const exchange = (frame, from, to, write) =>
    pairs.reduce((text, pair) => text.replaceAll(write(pair[from]), () => write(pair[to])), frame);
  page.onMessage((frame) => server.send(exchange(frame, 0, 1, withinBody)));
  server.onMessage((frame) => page.send(exchange(frame, 1, 0, JSON.stringify)));
}
