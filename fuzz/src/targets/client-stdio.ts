// The client against hostile lines of a server process, simulated by a pair of streams: valid responses, mutated ones and
// random ones, truncated anywhere.
import { PassThrough, Writable } from "node:stream";
import type { Client } from "@lethe/client";
import { createClient } from "@lethe/client/edge";
import { createStdioWire, type ProcessExit, type ServerProcess } from "@lethe/client/node";
import { createLineDecoder } from "@lethe/protocol";
import { revisionNamed } from "@lethe/protocol/revisions";
import { connectLegacy } from "../../../packages/client/src/legacy/connect-legacy.ts";
import { createModernStdio } from "../../../packages/client/src/node/modern-stdio.ts";
import { answersTo } from "../input/answer-source.ts";
import { cut, mutateBytes } from "../input/mutate-bytes.ts";
import { createRandom, type Random } from "../input/random.ts";
import { createHealthMonitor } from "../run/health.ts";
import type { Tally, Target } from "../run/target.ts";
import { useClient } from "./use-client.ts";

const clientsPerRound = 100;

export const clientStdioTarget: Target = {
  name: "client-stdio",
  weight: 2,
  async start() {
    const monitor = createHealthMonitor();
    return {
      async round(random, tally) {
        const seeds = Array.from({ length: clientsPerRound }, () => String(random.below(2 ** 31)));
        await Promise.all(seeds.map((seed) => runClient(createRandom(seed), tally)));
      },
      health: monitor.read,
      close: async () => monitor.stop(),
    };
  },
};

async function runClient(random: Random, tally: Tally): Promise<void> {
  const transcript: unknown[] = [];
  const server = createHostileProcess(random, (bytes) => {
    transcript.push(bytes);
    tally.input(bytes);
  });
  await useClient({ open: () => openClient(server, random), random, tally, transcript });
  await server.stop();
}

async function openClient(server: ServerProcess, random: Random): Promise<Client> {
  const wire = createStdioWire(server, { maxLineBytes: 100_000 });
  const handlers = { elicit: () => ({ action: "accept", content: {} }) as const, roots: [], onWarning: () => {} };
  const tasks = { minPollMs: 1, maxPollMs: 5, maxMs: 100, maxOutageMs: 50 };
  if (random.chance(0.5)) {
    const clientInfo = { name: "fuzz", version: "1" };
    const connection = await connectLegacy(wire, {
      clientInfo,
      capabilities: { elicitation: {} },
      initializeTimeoutMs: 200,
    });
    return createClient(connection, "hostile", { ...handlers, tasks });
  }
  const { dispatch, close } = createModernStdio(wire);
  const closed = wire.closed.then(({ message }) => ({ reason: message }));
  const discovered = {
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: "public",
  } as const;
  const connection = {
    dispatch,
    era: "modern",
    revision: "2026-07-28",
    traits: revisionNamed("2026-07-28").traits,
    server: discovered as never,
    closed,
    close,
  } as const;
  return createClient(connection, "hostile", { ...handlers, tasks });
}

/** Answers each line of its stdin with hostile lines on its stdout. */
function createHostileProcess(random: Random, onWrite: (bytes: Buffer) => void): ServerProcess {
  const stdout = new PassThrough();
  let end: (exit: ProcessExit) => void = () => {};
  const exited = new Promise<ProcessExit>((resolve) => {
    end = resolve;
  });
  const write = (bytes: Buffer): void => {
    if (stdout.writableEnded) return;
    onWrite(bytes);
    for (const piece of random.chance(0.2) ? cut(bytes, random, 6) : [bytes]) stdout.write(piece);
  };
  const decoder = createLineDecoder({
    onTooLong: () => {},
    onLine(line) {
      for (const text of answersTo(JSON.parse(line), random)) {
        const bytes = Buffer.from(`${text}\n`);
        write(random.chance(0.05) ? mutateBytes(bytes, random, 2) : bytes);
      }
      if (random.chance(0.01)) stdout.end();
    },
  });
  const stdin = new Writable({
    write(chunk: Buffer, _, done) {
      decoder.push(chunk);
      done();
    },
  });
  const stop = async (): Promise<ProcessExit> => {
    const exit = { code: 0, signal: null };
    if (!stdout.writableEnded) stdout.end();
    end(exit);
    return exit;
  };
  return { pid: 0, name: "hostile", stdin, stdout, exited, stderrTail: () => "", stop };
}
