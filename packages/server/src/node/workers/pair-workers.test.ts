// Each two workers get the ends of a pipe from their parent.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createSocketPair, PairedWorkers } from "./pair-workers.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-pair-test-"));
  vi.stubEnv("TMPDIR", folder);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** A process that has started. `sent` has the other worker and the end of each pipe that it got. */
function startProcess() {
  const sent: { worker: number; end: Socket }[] = [];
  const send = ({ worker }: { worker: number }, end: Socket) => sent.push({ worker, end }) > 0;
  return { sent, process: { send: send as never } };
}

it("connects two sockets in both directions, and leaves no file behind", async () => {
  const [one, other] = (await createSocketPair()) ?? [];
  one?.end("there");
  other?.end("back");
  expect(await Promise.all([one, other].map((end) => text(end as Socket)))).toEqual(["back", "there"]);
  expect(await readdir(folder)).toEqual([]);
});

it("connects nothing where it can create no folder, so that workers use their parent", async () => {
  vi.stubEnv("TMPDIR", join(folder, "missing"));
  expect(await createSocketPair()).toBeUndefined();
});

it("gives each worker one pipe to each other worker that can take it, and closes those of one that has ended", async () => {
  const pairs = new PairedWorkers();
  const all = [startProcess(), startProcess(), startProcess()];
  for (const [index, { process }] of all.entries()) pairs.join(index + 1, process);
  pairs.join(4, startProcess().process);
  for (const number of [1, 2, 2, 3]) await pairs.ready(number);
  expect(all.map(({ sent }) => sent.map(({ worker }) => worker).sort())).toEqual([
    [2, 3],
    [1, 3],
    [1, 2],
  ]);
  const endOf = (number: number, other: number) =>
    all[number - 1]?.sent.find(({ worker }) => worker === other)?.end as Socket;
  endOf(1, 3).end("one to three");
  expect(await text(endOf(3, 1))).toBe("one to three");
  // It has ended before it got its pipe: the other side of which must end, too.
  pairs.left(2);
  expect(await text(endOf(1, 2))).toBe("");
  for (const { sent } of all) for (const { end } of sent) end.destroy();
});
