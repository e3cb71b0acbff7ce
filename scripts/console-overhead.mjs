// Measures what open consoles cost a gateway: its processor time for a request with event streams and without, in turns of one process.
//   node scripts/console-overhead.mjs [--rounds 12] [--seconds 3] [--per-minute 10000] [--consoles 1] [--bodies]
// Without --per-minute, the load is as much as the gateway answers.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ask } from "../bench/dist/load/ask.js";
import { checkGreeting, checkHttpAnswer } from "../bench/dist/load/check-answer.js";
import { runHttpLoad } from "../bench/dist/load/http-load.js";
import { greetCall, rotation, toHttpRequest } from "../bench/dist/load/wire.js";
import { separateCores } from "../bench/dist/measure/cores.js";
import { openStreams } from "./console-overhead/event-streams.mjs";
import { startMeasuredGateway } from "./console-overhead/measured-gateway.mjs";
import { runPacedLoad } from "./console-overhead/paced-load.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "12" },
    seconds: { type: "string", default: "3" },
    "per-minute": { type: "string" },
    consoles: { type: "string", default: "1" },
    bodies: { type: "boolean", default: false },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const perMinute = values["per-minute"] === undefined ? undefined : Number(values["per-minute"]);
const connections = 16;
const warmUpSeconds = 10;
/** Requests that began while a console was open end in this time. */
const closeMs = 400;
const openMs = 400;

const requests = Array.from({ length: rotation }, (_, id) => toRequest(id + 1));
const folder = mkdtempSync(`${tmpdir()}/console-overhead-`);
const gateway = await startMeasuredGateway({ folder, cores: separateCores(), bodies: values.bodies });
const load = { port: gateway.port, requests, connections };

/** A call at the endpoint of the server alone. */
function toRequest(id) {
  const request = toHttpRequest("modern", greetCall("modern", id)).toString();
  return Buffer.from(request.replace("POST /mcp ", "POST /mcp/bench "));
}

function run(forSeconds) {
  return perMinute === undefined
    ? runHttpLoad({ ...load, seconds: forSeconds })
    : runPacedLoad({ ...load, seconds: forSeconds, perMinute });
}

/** Microseconds of the gateway's processor time for one request, and requests in a second. */
async function measure() {
  const before = await gateway.usage();
  const { count, seconds: took } = await run(seconds);
  const after = await gateway.usage();
  return { micros: (after - before) / count, perSecond: count / took };
}

async function measureOpen() {
  const streams = await openStreams(gateway.port, Number(values.consoles));
  await Promise.all([run(openMs / 1_000), sleep(openMs)]);
  const before = streams.received();
  const measured = await measure();
  const received = streams.received();
  await streams.close();
  return { ...measured, events: (received.exchanges - before.exchanges) / seconds };
}

async function measureClosed() {
  await Promise.all([run(closeMs / 1_000), sleep(closeMs)]);
  return measure();
}

function quartiles(numbers) {
  const sorted = numbers.toSorted((one, other) => one - other);
  const at = (part) => sorted[Math.round((sorted.length - 1) * part)];
  return { low: at(0.25), middle: at(0.5), high: at(0.75) };
}

const ratioOf = ({ open, closed }) => open.micros / closed.micros;

/** Other programs of a shared machine only ever add time. */
function quietest(pairs) {
  const timeOf = ({ open, closed }) => open.micros + closed.micros;
  return pairs.toSorted((one, other) => timeOf(one) - timeOf(other)).slice(0, Math.ceil(pairs.length / 3));
}

function report(pairs, never) {
  const of = (pick) => quartiles(pairs.map(pick));
  const show = ({ low, middle, high }, digits) =>
    `${middle.toFixed(digits)} (quartiles ${low.toFixed(digits)} to ${high.toFixed(digits)})`;
  const lines = [
    `${rounds} pairs of ${seconds} s, ${values.consoles} console(s), bodies ${values.bodies ? "kept" : "not kept"}`,
    `requests a second: closed ${show(
      of(({ closed }) => closed.perSecond),
      0,
    )}, open ${show(
      of(({ open }) => open.perSecond),
      0,
    )}`,
    `requests shown a second: ${show(
      of(({ open }) => open.events),
      0,
    )}`,
    `processor time of a request in µs: never opened ${show(quartiles(never.map(({ micros }) => micros)), 1)}, closed ${show(
      of(({ closed }) => closed.micros),
      1,
    )}, open ${show(
      of(({ open }) => open.micros),
      1,
    )}`,
    `open / closed in the same pair: ${show(of(ratioOf), 4)}`,
    `the same, in the third of pairs that took the least time: ${show(quartiles(quietest(pairs).map(ratioOf)), 4)}`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

try {
  checkHttpAnswer(await ask(gateway.port, requests[0]), 1, checkGreeting);
  await runHttpLoad({ ...load, seconds: warmUpSeconds });
  const never = [];
  for (let round = 0; round < rounds / 2; round += 1) never.push(await measure());
  const pairs = [];
  for (let round = 0; round < rounds; round += 1) {
    // Every other pair is measured the other way round, so that a drift of the machine falls on both.
    const first = round % 2 === 0 ? await measureOpen() : await measureClosed();
    const second = round % 2 === 0 ? await measureClosed() : await measureOpen();
    pairs.push(round % 2 === 0 ? { open: first, closed: second } : { open: second, closed: first });
  }
  report(pairs, never);
} finally {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
}
