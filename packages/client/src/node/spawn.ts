// Server processes (C-1, C-2, C-8): each in its own group, with a minimal environment and its stderr always read. The whole
// group ends when the server is stopped, when it exits, or when this process ends.

import type { SpawnOptions as ChildOptions, ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { checkOptions, createLineDecoder, type KnownOptions } from "@lethe/protocol";
import crossSpawn from "cross-spawn";
import { LoopShare } from "../call/loop-share.ts";
import { TransportError } from "../call/transport-error.ts";
import { createByteTail } from "./byte-tail.ts";
import { dismissGroup, enlistGroup, hasGroups, signalGroup } from "./process-group.ts";
import { readFairly } from "./read-fairly.ts";
import { toServerEnvironment } from "./server-environment.ts";

/** The program to start. */
export interface SpawnTarget {
  /** The program: a path, or a name that is looked up in PATH. */
  command: string;
  /** The arguments of the program. Default none. */
  args?: readonly string[];
  /** Variables in addition to the minimal environment of every server (PATH, HOME and the like). */
  env?: Readonly<Record<string, string>>;
  /** The working folder. Default: the one of this process. */
  cwd?: string;
}

export const knownSpawnTarget: KnownOptions<SpawnTarget> = { command: "a string", args: true, env: true, cwd: true };

/** What is reported about a process, and how it is stopped. */
export interface SpawnOptions {
  /** Receives each line that the server writes to stderr. Not a sign of an error. */
  onStderr?(line: string): void;
  /** Receives the running process. `gone` resolves when its group is empty. */
  onProcess?(pid: number, gone: Promise<void>): void;
  /** How long `stop` waits after each step, in ms. Default 2 000. */
  stopTimeoutMs?: number;
}

export const knownSpawnOptions: KnownOptions<SpawnOptions> = { onStderr: true, onProcess: true, stopTimeoutMs: true };

/** How a process ended: `code` or `signal` is null. */
export interface ProcessExit {
  /** The exit code. */
  readonly code: number | null;
  /** The signal that killed it. */
  readonly signal: NodeJS.Signals | null;
}

/** A running server process. Created by `spawnServer`. */
export interface ServerProcess {
  /** The id of the process and of its group. */
  readonly pid: number;
  /** The command line, for messages. */
  readonly name: string;
  /** Its input. */
  readonly stdin: Writable;
  /** Its output. Read it, or the process blocks. */
  readonly stdout: Readable;
  /** Resolves when the process has exited and its output has been read. */
  readonly exited: Promise<ProcessExit>;
  /** The end of its stderr output, at most 64 KiB. */
  stderrTail(): string;
  /** Closes stdin, then sends SIGTERM to the group, then SIGKILL. Resolves when the group is empty. */
  stop(): Promise<ProcessExit>;
}

const stderrTailBytes = 64 * 1024;
const pollMs = 25;
/** Time without output after which the pipes of an exited process are closed: a descendant that left the group can keep them open. */
const drainIdleMs = 1_000;
/** Limit for a descendant that keeps writing. */
const maxDrainMs = 10_000;

/**
 * Starts a server process in its own process group, with a minimal environment. `stop` ends the whole group; so does the end of this
 * process. Rejects with TransportError "unreachable" if the program does not start.
 *
 * @example
 * import { spawnServer } from "@lethe/client/node";
 *
 * const lines: string[] = [];
 * const target = { command: process.execPath, args: ["--eval", 'console.error("ready"); process.exitCode = 3'] };
 * const server = await spawnServer(target, { stopTimeoutMs: 1_000, onStderr: (line) => lines.push(line) });
 * console.log(await server.exited, lines); // { code: 3, signal: null } [ 'ready' ]
 */
export async function spawnServer(target: SpawnTarget, options: SpawnOptions = {}): Promise<ServerProcess> {
  checkOptions("spawnServer", options, knownSpawnOptions);
  checkOptions("spawnServer: target", target, knownSpawnTarget);
  const { command, args = [] } = target;
  const { stopTimeoutMs = 2_000, onStderr, onProcess } = options;
  // On Windows most servers are .cmd shims, which only a shell can start. cross-spawn quotes for it.
  const child = crossSpawn(command, [...args], toChildOptions(target));
  const name = [command, ...args].join(" ");
  await started(child, target);
  const { pid, stdin, stdout, stderr } = child as ChildProcess & { pid: number; stdin: Writable; stdout: Readable };
  enlistGroup(pid);

  const tail = createByteTail(stderrTailBytes);
  const lines = onStderr && createLineDecoder({ maxLineBytes: stderrTailBytes, onLine: onStderr, onTooLong: () => {} });
  let stderrRead = 0;
  const share = new LoopShare();
  if (stderr) {
    readFairly(stderr, share, (bytes) => {
      stderrRead += bytes.length;
      tail.push(bytes);
      lines?.push(bytes);
    });
  }
  // A write to a dead process fails; its exit reports the reason.
  stdin.on("error", () => {});

  let isDead = false;
  const died = new Promise<ProcessExit>((resolve) => {
    child.once("exit", (code, signal) => {
      isDead = true;
      resolve({ code, signal });
    });
  });
  const drained = new Promise<"drained">((resolve) => child.once("close", () => resolve("drained")));
  /** A slow reader gets as long as it makes progress, or may not read because it has used its share of the event loop. */
  async function readRest(): Promise<void> {
    const readBytes = () => stderrRead + (stdout as Socket).bytesRead;
    for (let waitedMs = 0; waitedMs < maxDrainMs; waitedMs += drainIdleMs) {
      const before = readBytes();
      const isResting = share.restMs > 0;
      if ((await within(drainIdleMs, drained)) === "drained") return;
      if (readBytes() === before && !isResting && share.restMs === 0) return;
    }
  }
  const exited = died.then(async (exit) => {
    await readRest();
    for (const stream of [stdin, stdout, stderr]) stream?.destroy();
    return exit;
  });
  const swept = died.then(() => sweepGroup(pid, stopTimeoutMs));
  onProcess?.(pid, swept);

  let stopping: Promise<ProcessExit> | undefined;
  async function stop(): Promise<ProcessExit> {
    stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (!isDead) await within(stopTimeoutMs, died);
      if (!isDead) signalGroup(pid, signal);
    }
    await swept;
    return exited;
  }

  return {
    pid,
    name,
    stdin,
    stdout,
    exited,
    stderrTail: tail.text,
    stop: () => (stopping ??= stop()),
  };
}

export function toChildOptions(
  { env, cwd }: SpawnTarget,
  platform: NodeJS.Platform = process.platform,
  environment: NodeJS.ProcessEnv = process.env,
): ChildOptions {
  return {
    stdio: ["pipe", "pipe", "pipe"],
    env: toServerEnvironment(env, environment, platform),
    // `detached` makes it the leader of a new group. On Windows it would open a console window.
    detached: platform !== "win32",
    windowsHide: true,
    ...(cwd !== undefined && { cwd }),
  };
}

function started(child: ChildProcess, target: SpawnTarget): Promise<void> {
  const { command, args = [], cwd } = target;
  const name = [command, ...args, ...(cwd === undefined ? [] : [`(in ${cwd})`])].join(" ");
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.on("error", (cause: NodeJS.ErrnoException) => {
      reject(new TransportError("unreachable", `cannot start ${name}: ${whyNot(cause, target)}`, { cause }));
    });
  });
}

/** The system reports ENOENT for a missing program and for a missing folder. */
function whyNot({ code, message }: NodeJS.ErrnoException, { command, args = [], cwd }: SpawnTarget): string {
  if (code !== "ENOENT") return message;
  if (cwd !== undefined && !existsSync(cwd)) return `there is no folder ${cwd} (ENOENT)`;
  const isPath = /[\\/]/.test(command);
  const missing = isPath ? `there is no file ${command}` : `there is no command "${command}" in PATH`;
  const isLine = /\s/.test(command) && args.length === 0;
  return `${missing} (ENOENT)${isLine ? "; what follows its name belongs into the arguments" : ""}`;
}

/** What a dead server leaves behind in its group: asked to go, then made to. Without groups it cannot be found. */
async function sweepGroup(pid: number, patienceMs: number): Promise<void> {
  const deadline = performance.now() + patienceMs;
  let isLeft = hasGroups && signalGroup(pid, "SIGTERM");
  while (isLeft && performance.now() < deadline) {
    await sleep(pollMs);
    isLeft = signalGroup(pid, 0);
  }
  if (isLeft) signalGroup(pid, "SIGKILL");
  dismissGroup(pid);
}

/** Resolves with the promise or after `ms`, whichever is first. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  const first = await Promise.race([promise, timeout]);
  clearTimeout(timer);
  return first;
}
