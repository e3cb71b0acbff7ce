// The workers of a parent: starts them, restarts those that end, replaces them one by one, and stops them.
import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { checkOptions } from "@lethe/protocol";
import { Acceptor } from "./acceptor.ts";
import { workerVariable } from "./is-worker.ts";
import type { CloseTimes, ControlMessage } from "./messages.ts";
import { PairedWorkers } from "./pair-workers.ts";
import { ParentHub } from "./parent-hub.ts";
import { endOf } from "./process-end.ts";
import { RestartPause } from "./restart-pause.ts";
import { StoreHost } from "./store-host.ts";
import { toWorkerEvent } from "./worker-event.ts";
import type { WorkerPeer } from "./worker-peer.ts";
import { knownStartWorkersOptions, type StartWorkersOptions, type Workers } from "./workers-options.ts";

interface Running {
  readonly slot: number;
  readonly number: number;
  readonly process: ChildProcess;
  readonly ended: Promise<string>;
  /** What it said about why it cannot start. */
  failure: Error | undefined;
  /** Whether its end is wanted. */
  isStopping: boolean;
  silentPings: number;
}

const pingsPerStall = 5;
/** A worker whose pipe is closed has this long to end, in ms. */
const cutMs = 1_000;
/** Beyond the time that it was given, a worker has this long to end, in ms. */
const overtimeMs = 3_000;

const defaultStallMs = 30_000;
/** How long a worker may take to load its program, in ms. */
const loadMs = 120_000;
/** How long a worker that replaces another may take until it is ready, in ms. Then the other one stops in any case. */
const readyMs = 60_000;
const readyEveryMs = 100;

/**
 * Starts processes that run the program of this one, share its ports, and exchange state through it. In each of them `workerProcess()`
 * is defined. Restarts those that end. Resolves when all listen. Rejects with the reason if the first one cannot start.
 *
 * @example
 * import { startWorkers, workerProcess } from "@lethe/server/workers";
 *
 * const worker = workerProcess();
 * if (worker) {
 *   worker.onClose(() => process.exit(0));
 *   worker.started(0);
 * } else {
 *   const workers = await startWorkers({ count: 2, onEvent: console.log });
 *   await workers.close({ graceMs: 1_000, delayMs: 0 });
 * }
 */
export async function startWorkers(options: StartWorkersOptions): Promise<Workers> {
  checkOptions("startWorkers", options, knownStartWorkersOptions);
  const group = new WorkerGroup(options);
  await group.start();
  return group;
}

class WorkerGroup implements Workers {
  readonly #options: StartWorkersOptions;
  readonly #stallMs: number;
  readonly #acceptor = new Acceptor();
  readonly #pairs = new PairedWorkers();
  readonly #hub: ParentHub;
  readonly #running = new Map<number, Running>();
  readonly #starting = new Map<number, { onStarted(port: number): void }>();
  readonly #asked = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void; number: number }>();
  readonly #pauses: RestartPause[];
  #lastNumber = 0;
  #lastCall = 0;
  #pinging: NodeJS.Timeout | undefined;
  #replacing: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  port = 0;

  constructor(options: StartWorkersOptions) {
    this.#options = options;
    this.#stallMs = options.stallMs ?? defaultStallMs;
    this.#pauses = Array.from({ length: options.count }, () => new RestartPause());
    this.#hub = new ParentHub({
      stores: new StoreHost(),
      acceptor: this.#acceptor,
      pairs: this.#pairs,
      onCut: (number) => this.#cut(number),
      onControl: (number, message) => this.#control(number, message),
    });
  }

  get peers(): readonly WorkerPeer[] {
    return this.#hub.peers;
  }

  /** Rejects with the reason if the first worker cannot start. */
  async start(): Promise<void> {
    const everyMs = this.#stallMs / pingsPerStall;
    this.#pinging = setInterval(() => this.#ping(), everyMs).unref();
    this.port = await this.#launch(0).catch(async (error: Error) => {
      await this.close({ graceMs: 0, delayMs: 0 });
      throw error;
    });
    const others = [...this.#pauses.keys()].slice(1);
    await Promise.all(
      others.map((slot) => this.#launch(slot).catch((error: Error) => this.#restart(slot, error.message))),
    );
  }

  ask(number: number, question: unknown): Promise<unknown> {
    this.#lastCall += 1;
    const call = this.#lastCall;
    return new Promise((resolve, reject) => {
      if (!this.#running.has(number)) return reject(new Error("the worker has ended"));
      this.#asked.set(call, { resolve, reject, number });
      this.#hub.send(number, { kind: "ask", call, question });
    });
  }

  replace(times: CloseTimes): Promise<void> {
    const replaced = this.#replacing.then(async () => {
      for (const old of [...this.#running.values()].sort((one, other) => one.slot - other.slot)) {
        if (this.#closing || !this.#running.has(old.number)) continue;
        old.isStopping = true;
        try {
          await this.#launch(old.slot);
          await this.#untilReady(old.slot);
        } catch (error) {
          old.isStopping = false;
          throw error;
        }
        await this.#stop(old, times);
      }
    });
    this.#replacing = replaced.catch(() => {});
    return replaced;
  }

  close(times: CloseTimes): Promise<void> {
    this.#closing ??= (async () => {
      clearInterval(this.#pinging);
      this.#acceptor.close();
      for (const pause of this.#pauses) pause.cancel();
      await Promise.all([...this.#running.values()].map((worker) => this.#stop(worker, times)));
    })();
    return this.#closing;
  }

  /** The newest worker of this slot is ready for traffic, has ended, or takes too long. */
  async #untilReady(slot: number): Promise<void> {
    const deadline = performance.now() + readyMs;
    while (performance.now() < deadline && this.#closing === undefined) {
      const numbers = [...this.#running.values()].filter((one) => one.slot === slot).map(({ number }) => number);
      const newest = this.#hub.peers.find(({ number }) => number === Math.max(...numbers));
      if (!newest || newest.status.isReady) return;
      await sleep(readyEveryMs);
    }
  }

  async #stop(worker: Running, times: CloseTimes): Promise<void> {
    worker.isStopping = true;
    this.#hub.send(worker.number, { kind: "close", ...times, isWhole: this.#closing !== undefined });
    const kill = setTimeout(() => worker.process.kill("SIGKILL"), times.graceMs + times.delayMs + overtimeMs);
    await worker.ended;
    clearTimeout(kill);
  }

  /** Resolves with the port when the worker listens. Rejects with the reason when it ends before. */
  async #launch(slot: number): Promise<number> {
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    const id = randomUUID();
    const child = this.#fork(`${number} ${id} ${slot + 1}`);
    const ended = endOf(child);
    // The system has no process or file descriptor left. Without descriptors, the child has no streams either.
    if (child.pid === undefined) throw new Error(await ended);
    const worker: Running = {
      slot,
      number,
      process: child,
      ended,
      failure: undefined,
      isStopping: false,
      silentPings: 0,
    };
    this.#running.set(number, worker);
    this.#pairs.join(number, child);
    this.#hub.join({ number, id, stream: child.stdio[4] as unknown as Duplex });
    this.#acceptor.join(number, child);
    const started = new Promise<number>((resolve) => this.#starting.set(number, { onStarted: resolve }));
    const first = await Promise.race([started, ended]);
    if (typeof first === "string") {
      this.#forget(worker);
      throw worker.failure ?? new Error(first);
    }
    const startedAt = performance.now();
    void ended.then((reason) => {
      this.#forget(worker);
      if (this.#closing || worker.isStopping) return;
      this.#restart(slot, reason, performance.now() - startedAt);
    });
    return first;
  }

  /** Runs the program of this process, with its arguments. */
  #fork(identity: string): ChildProcess {
    const { environment, execArgv = process.execArgv } = this.#options;
    const [, program, ...args] = process.argv;
    if (program === undefined) throw new Error("workers run the program of their parent, which must be a file");
    return fork(program, args, {
      env: { ...process.env, ...environment, [workerVariable]: identity },
      execArgv: [...execArgv],
      // The fourth is the pipe for frames.
      stdio: ["ignore", "inherit", "inherit", "ipc", "pipe"],
    });
  }

  #restart(slot: number, reason: string, ranForMs = 0): void {
    const pause = this.#pauses[slot];
    if (this.#closing || !pause) return;
    const restartInMs = pause.begin(ranForMs, () => {
      this.#launch(slot).catch((error: Error) => this.#restart(slot, error.message));
    });
    this.#options.onEvent(toWorkerEvent({ kind: "failed", worker: slot + 1, reason, restartInMs }));
  }

  #forget({ number }: Running): void {
    this.#running.delete(number);
    this.#starting.delete(number);
    this.#hub.left(number);
    this.#acceptor.left(number);
    this.#pairs.left(number);
    for (const [call, asked] of this.#asked) {
      if (asked.number !== number) continue;
      this.#asked.delete(call);
      asked.reject(new Error("the worker has ended"));
    }
  }

  #control(number: number, message: ControlMessage): void {
    const worker = this.#running.get(number);
    if (!worker) return;
    if (message.kind === "started") {
      this.#options.onEvent(toWorkerEvent({ kind: "started", worker: worker.slot + 1, pid: worker.process.pid ?? 0 }));
      this.#starting.get(number)?.onStarted(message.port);
    } else if (message.kind === "failed") worker.failure = new Error(message.reason, { cause: message.cause });
    else if (message.kind === "ask") void this.#answer(number, message);
    else if (message.kind === "reply") {
      const asked = this.#asked.get(message.call);
      this.#asked.delete(message.call);
      if (message.problem === undefined) asked?.resolve(message.answer);
      else asked?.reject(new Error(message.problem));
    }
  }

  async #answer(number: number, { call, question }: Extract<ControlMessage, { kind: "ask" }>): Promise<void> {
    try {
      const answer = await this.#options.answer?.(question, number);
      this.#hub.send(number, { kind: "reply", call, answer });
    } catch (error) {
      this.#hub.send(number, { kind: "reply", call, problem: (error as Error).message });
    }
  }

  /**
   * A worker that stood still for so many pings in a row is killed. A parent that stood still itself counts one. A worker that loads its
   * program has more time: on a busy machine that takes longer than a healthy worker ever stands still.
   */
  #ping(): void {
    const silent = this.#hub.ping();
    for (const worker of this.#running.values()) {
      const found = silent.get(worker.number);
      worker.silentPings = found ? worker.silentPings + 1 : 0;
      const stallMs = found?.hasBegun ? this.#stallMs : Math.max(this.#stallMs, loadMs);
      if (worker.silentPings < (stallMs / this.#stallMs) * pingsPerStall) continue;
      this.#options.onEvent(toWorkerEvent({ kind: "stalled", worker: worker.slot + 1, stallMs }));
      worker.process.kill("SIGKILL");
    }
  }

  #cut(number: number): void {
    const worker = this.#running.get(number);
    if (!worker) return;
    const kill = setTimeout(() => worker.process.kill("SIGKILL"), cutMs);
    void worker.ended.then(() => clearTimeout(kill));
  }
}
