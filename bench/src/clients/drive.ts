// Drives one client in a separate process: node drive.js MODULE TARGET IN_FLIGHT. Prints "ready" after it has checked the
// response to each request of the rotation. Then each line "run SECONDS" on stdin runs one closed loop and prints a line of JSON.
import { createInterface } from "node:readline";
import { greetingOf } from "../contenders/tools.ts";
import { nameFor, rotation } from "../load/wire.ts";
import type { ClientModule, Target } from "./caller.ts";

/** Latencies in µs, to keep the line of JSON short. */
export interface Driven {
  count: number;
  seconds: number;
  latencies: number[];
}

const [module = "", target = "", inFlight] = process.argv.slice(2);
const { connect } = (await import(module)) as ClientModule;
const caller = await connect(JSON.parse(target) as Target);
let next = 0;

for (let checks = 0; checks < rotation; checks += 1) {
  next += 1;
  const answer = await caller.call(nameFor(next));
  if (answer !== greetingOf(nameFor(next))) throw new Error(`wrong answer: ${answer}`);
}
console.log("ready");

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await run(Number(line.split(" ")[1]))));
}
await caller.close();

async function run(seconds: number): Promise<Driven> {
  const latencies: number[] = [];
  const started = performance.now();
  const deadline = started + seconds * 1000;

  async function loop(): Promise<void> {
    let now = performance.now();
    while (now < deadline) {
      next += 1;
      await caller.call(nameFor(next));
      const after = performance.now();
      latencies.push(Math.round((after - now) * 1000));
      now = after;
    }
  }

  await Promise.all(Array.from({ length: Number(inFlight) }, loop));
  return { count: latencies.length, seconds: (performance.now() - started) / 1000, latencies };
}
