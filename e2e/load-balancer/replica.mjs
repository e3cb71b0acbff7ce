// One of several processes that serve the same sessions, started by fork: what an older client posts about a running call
// goes to all of them, by way of the process that started them.
import { parseArgs } from "node:util";
import { createMemoryAnswerExchange } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { createTracker } from "../server-legacy/server.mjs";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    shared: { type: "boolean", default: false },
    patience: { type: "string", default: "600000" },
  },
});

const here = createMemoryAnswerExchange();
process.on("message", ({ sessionId, word }) => here.deliver(sessionId, word));
/** @type {import("@lethe/server").AnswerExchange} */
const everywhere = { listen: here.listen, deliver: (sessionId, word) => void process.send?.({ sessionId, word }) };

const answers = values.shared ? everywhere : here;
const { url } = await serve(createTracker({ legacy: { answers, answerTimeoutMs: Number(values.patience) } }), {
  port: Number(values.port),
});
console.log(`Listening on ${url}`);
