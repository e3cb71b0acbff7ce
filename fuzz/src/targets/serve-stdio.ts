// serveStdio: lines of both eras and invalid lines, through streams in this process.
import { PassThrough, Writable } from "node:stream";
import { serveStdio } from "@lethe/server/node";
import { createFuzzServer } from "../fixture/create-fuzz-server.ts";
import { createErrorTrap } from "../fixture/error-trap.ts";
import { cut, mutateBytes } from "../input/mutate-bytes.ts";
import type { Random } from "../input/random.ts";
import { createRequestSource } from "../input/request-source.ts";
import { createHealthMonitor } from "../run/health.ts";
import type { Tally, Target } from "../run/target.ts";
import { wrongAnswer } from "./check-answer.ts";

const linesPerRound = 400;
const finishMs = 20_000;
const pingEvery = 50;

export const serveStdioTarget: Target = {
  name: "serve-stdio",
  weight: 2,
  async start() {
    const monitor = createHealthMonitor();
    return { round: attackOnce, health: monitor.read, close: async () => monitor.stop() };
  },
};

/** One server and one client that sends a few hundred lines and ends its input. */
async function attackOnce(random: Random, tally: Tally): Promise<void> {
  const trap = createErrorTrap();
  const server = createFuzzServer(trap);
  const source = createRequestSource(random, { path: "/mcp", host: "x" });
  const input = new PassThrough();
  let latest = "";
  const output = new Writable({
    write(chunk, _, done) {
      const text = String(chunk);
      const wrong = wrongAnswer({ text });
      if (wrong) tally.fail({ kind: "wrong", detail: wrong, input: latest });
      source.learn(text, undefined);
      done();
    },
  });
  const served = serveStdio(server, {
    input,
    output,
    graceMs: 1_000,
    maxLineBytes: 100_000,
    onError: trap.onError,
  });
  for (let count = 0; count < linesPerRound; count++) {
    latest = source.nextMessage();
    tally.input(latest);
    const bytes = Buffer.from(`${latest}\n`);
    const sent = random.chance(0.05) ? mutateBytes(bytes, random, 1 + random.below(3)) : bytes;
    for (const piece of random.chance(0.1) ? cut(sent, random, 4) : [sent]) input.write(piece);
    if (count % pingEvery === 0) await new Promise((resolve) => setImmediate(resolve));
    const thrown = trap.take();
    if (thrown !== undefined) tally.fail({ kind: "crash", detail: thrown, input: latest });
  }
  input.end();
  const timer = setTimeout(
    () =>
      tally.fail({
        kind: "hang",
        detail: `serveStdio still runs ${finishMs} ms after the end of input`,
        input: latest,
      }),
    finishMs,
  );
  await served.catch((error: unknown) => tally.fail({ kind: "crash", detail: String(error), input: latest }));
  clearTimeout(timer);
  await server.close();
}
