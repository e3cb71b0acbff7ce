// A process that is a worker, as its program sees it: what it shares with the other workers, and what its parent wants.
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import type { RateCounter } from "../../middleware/rate-counter.ts";
import type { SingleUseStore } from "../../seal/single-use-store.ts";
import { createLinkedSessions, type LinkedSessions } from "./linked-legacy.ts";
import { createLinkedRecords, type LinkedRecords } from "./linked-records.ts";
import { createLinkedRateCounter, createLinkedSingleUseStore } from "./linked-stores.ts";
import type { CloseTimes, ControlMessage } from "./messages.ts";
import type { ParentLink } from "./parent-link.ts";
import { takePipes } from "./take-pipes.ts";
import { WorkerDirectory, type WorkerDirectoryOptions } from "./worker-directory.ts";
import { openParentLink } from "./worker-environment.ts";
import type { WorkerPeer, WorkerStatus } from "./worker-peer.ts";

/** A worker of a gateway. */
export interface WorkerProcess {
  /** Rises with each worker that the parent starts, from 1. */
  readonly number: number;
  /** Its place among the workers, from 1. The worker that replaces it has the same. */
  readonly slot: number;
  /** The other workers. */
  readonly peers: readonly WorkerPeer[];
  /** Joins the other workers. Call it once. */
  join(options: Omit<WorkerDirectoryOptions, "link">): JoinedWorkers;
  /** Tells the parent that this worker listens. */
  started(port: number): void;
  /**
   * Tells the parent why this worker cannot start. The process should end then. `startWorkers` of the parent rejects with an Error that has
   * this `cause`, which is sent as JSON.
   */
  failed(reason: string, cause?: unknown): void;
  /** Tells the parent and the other workers about this one. */
  report(status: WorkerStatus): void;
  /** Asks the program of the parent. Rejects with its error, or when it is gone. */
  ask(question: unknown): Promise<unknown>;
  /** Answers the questions of the parent's program. */
  onAsk(answer: (question: unknown) => Promise<unknown>): void;
  /**
   * Calls `listener` when the parent wants this worker to end, and when the parent is gone. `isWhole`: all workers end. `isAbandoned`: the
   * parent is gone, so this worker should end at once. If the parent is gone after it wanted the end, the process exits.
   */
  onClose(listener: (close: WorkerClose) => void): void;
}

/** How a worker should end. */
export interface WorkerClose extends CloseTimes {
  readonly isWhole: boolean;
  readonly isAbandoned: boolean;
}

const knownJoinOptions: KnownOptions<Omit<WorkerDirectoryOptions, "link">> = {
  dispatchAt: "a function",
  onProblem: "a function",
  onWorker: true,
  maxCalls: true,
  maxMessageBytes: true,
};

/** What the workers of one gateway share. */
export interface JoinedWorkers {
  readonly directory: WorkerDirectory;
  readonly rates: RateCounter;
  readonly legacy: LinkedSessions;
  readonly singleUse: SingleUseStore;
  readonly taskRecords: LinkedRecords;
}

/**
 * Returns this process as a worker, or undefined if no parent started it as one.
 *
 * @example
 * import { workerProcess } from "@lethe/server/workers";
 *
 * console.log(workerProcess()); // undefined
 */
export function workerProcess(): WorkerProcess | undefined {
  const link = openParentLink();
  return link && createWorkerProcess(link);
}

/** `exit` ends this process. */
export function createWorkerProcess(link: ParentLink, exit: () => void = () => process.exit(0)): WorkerProcess {
  return new LinkedWorker(link, exit);
}

const parentIsGone = "the parent of this worker is gone";

class LinkedWorker implements WorkerProcess {
  readonly #link: ParentLink;
  readonly #exit: () => void;
  readonly #asked = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  #lastCall = 0;
  #isAbandoned = false;
  #answer: ((question: unknown) => Promise<unknown>) | undefined;

  constructor(link: ParentLink, exit: () => void) {
    this.#link = link;
    this.#exit = exit;
    link.onControl((message) => {
      if (message.kind === "ask") void this.#reply(message);
      else if (message.kind === "reply") this.#replied(message);
    });
    link.onClose(() => {
      this.#isAbandoned = true;
      for (const { reject } of this.#asked.values()) reject(new Error(parentIsGone));
      this.#asked.clear();
    });
  }

  get number(): number {
    return this.#link.number;
  }

  get slot(): number {
    return this.#link.slot;
  }

  get peers(): readonly WorkerPeer[] {
    return this.#link.peers.filter(({ id }) => id !== this.#link.self);
  }

  join(options: Omit<WorkerDirectoryOptions, "link">): JoinedWorkers {
    checkOptions("join", options, knownJoinOptions);
    const link = this.#link;
    const space = "gateway";
    const directory = new WorkerDirectory({ link, ...options });
    takePipes(link, (worker, pipe) => directory.connect(worker, pipe));
    return {
      directory,
      rates: createLinkedRateCounter(link, space),
      legacy: createLinkedSessions(link, space),
      singleUse: createLinkedSingleUseStore(link, space),
      taskRecords: createLinkedRecords(link, `tasks ${space}`),
    };
  }

  started(port: number): void {
    this.#link.control({ kind: "started", port });
  }

  failed(reason: string, cause?: unknown): void {
    this.#link.control({ kind: "failed", reason, cause });
  }

  report(status: WorkerStatus): void {
    this.#link.control({ kind: "status", status });
  }

  ask(question: unknown): Promise<unknown> {
    if (this.#isAbandoned) return Promise.reject(new Error(parentIsGone));
    this.#lastCall += 1;
    const call = this.#lastCall;
    return new Promise((resolve, reject) => {
      this.#asked.set(call, { resolve, reject });
      this.#link.control({ kind: "ask", call, question });
    });
  }

  onAsk(answer: (question: unknown) => Promise<unknown>): void {
    this.#answer = answer;
  }

  onClose(listener: (close: WorkerClose) => void): void {
    let isClosing = false;
    this.#link.onControl((message) => {
      if (message.kind !== "close") return;
      isClosing = true;
      const { graceMs, delayMs, isWhole } = message;
      listener({ graceMs, delayMs, isWhole, isAbandoned: false });
    });
    this.#link.onClose(() => {
      // Nothing shortens the time that running requests have got.
      if (isClosing) this.#exit();
      else listener({ graceMs: 0, delayMs: 0, isWhole: true, isAbandoned: true });
    });
  }

  #replied({ call, answer, problem }: Extract<ControlMessage, { kind: "reply" }>): void {
    const asked = this.#asked.get(call);
    this.#asked.delete(call);
    if (problem === undefined) asked?.resolve(answer);
    else asked?.reject(new Error(problem));
  }

  async #reply({ call, question }: Extract<ControlMessage, { kind: "ask" }>): Promise<void> {
    try {
      this.#link.control({ kind: "reply", call, answer: await this.#answer?.(question) });
    } catch (error) {
      this.#link.control({ kind: "reply", call, problem: (error as Error).message });
    }
  }
}
