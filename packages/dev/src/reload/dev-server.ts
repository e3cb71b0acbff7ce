// A server in development: watches its files, loads each change in a process of its own, and serves the newest code that works.
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FileWatch, watchFiles } from "@lethe/gateway/watch";
import { errorCode, McpError } from "@lethe/protocol";
import { createKeyRing } from "@lethe/server/stores";
import { createParentStores } from "@lethe/server/workers";
import { type Bundle, type Bundler, createBundler } from "../bundle/bundle.ts";
import type { StoreRequest } from "../channel/runner-messages.ts";
import { toWireError, type WireError } from "../channel/wire-error.ts";
import { Front } from "../front/front.ts";
import { type LoadCodeOptions, loadCode } from "../process/load-code.ts";
import type { LoadedCode } from "../process/loaded-code.ts";
import { describeExit } from "../process/runner-process.ts";
import { Spare } from "../process/spare.ts";
import type { DevEvent, Loaded } from "./dev-event.ts";
import type { DevOptions } from "./dev-options.ts";
import { type Edge, listen, serveOverStdio } from "./edge.ts";
import { readEnvironment } from "./environment.ts";
import { fixedOptionsOf, toRestartNotice } from "./fixed-options.ts";
import { locateError } from "./locate-error.ts";
import { ReloadQueue } from "./reload-queue.ts";
import { ReplacedCode } from "./replaced-code.ts";

/** How long to wait for further changes, in ms. */
const settleMs = 20;
/** After this time of loading the terminal shows it, in ms. */
const slowMs = 3_000;
/** How long code may take to load, in ms. */
const loadMs = 60_000;
/** Code that crashes sooner is not started again before it changes, in ms. */
const minUptimeMs = 2_000;

/** A running server in development. */
export interface DevServer {
  /** Resolves when the client of stdio has left. Rejects if the server cannot listen. */
  readonly ended: Promise<void>;
  /** Ends the streams, lets running requests finish for two seconds, and ends every process. */
  close(): Promise<void>;
}

/** Resolves when files are watched. The first code may still be loading. */
export async function startDev(options: DevOptions): Promise<DevServer> {
  const folder = await mkdtemp(join(tmpdir(), "lethe-dev-"));
  const bundler = await createBundler({ entry: options.entry, folder });
  const server = new Development(options, bundler);
  await server.start();
  return {
    ended: server.ended,
    async close() {
      await server.close();
      await bundler.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Served {
  readonly front: Front;
  readonly edge: Edge;
  readonly fixed: Readonly<Record<string, string>>;
}

class Development {
  readonly ended: Promise<void>;
  readonly #options: DevOptions;
  readonly #bundler: Bundler;
  readonly #queue = new ReloadQueue({ reload: (signal) => this.#reload(signal) });
  readonly #watch: FileWatch;
  readonly #spare: Spare;
  readonly #replaced = new ReplacedCode((reason) => this.#tell({ kind: "cutOff", reason }));
  /** They outlive the code: its processes use them over their channels. */
  readonly #stores = createParentStores();
  readonly #keys: string = process.env.LETHE_KEYS ?? `dev:${randomBytes(32).toString("base64url")}`;
  readonly #listening: Promise<Edge>;
  #onListening: (edge: Edge) => void = () => {};
  #end: () => void = () => {};
  #fail: (error: unknown) => void = () => {};
  #served: Served | undefined;
  #code: LoadedCode | undefined;
  /** The command cannot listen, and ends. */
  #failure: unknown;
  #bundle: Bundle | undefined;
  #environment: Record<string, string> = {};
  #watched: readonly string[] = [];
  #changedAt = performance.now();
  #isForced = false;
  #lastProcess = 0;
  #isBroken = false;
  #isClosed = false;

  constructor(options: DevOptions, bundler: Bundler) {
    this.#options = options;
    this.#bundler = bundler;
    this.ended = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    this.ended.catch(() => {});
    this.#listening = new Promise((resolve) => {
      this.#onListening = resolve;
    });
    this.#watch = watchFiles({
      settleMs,
      onChange: () => {
        this.#changedAt = performance.now();
        // A file that is no part of the bundle may be what changed.
        this.#isForced ||= options.watched.length > 0;
        this.#queue.request();
      },
      onError: ({ message }) => this.#tell({ kind: "watchFailed", message }),
    });
    this.#spare = new Spare({
      program: options.runner,
      environment: { ...process.env, LETHE_KEYS: this.#keys },
      onOutput: (text, stream) => this.#tell({ kind: "output", text, stream }),
    });
  }

  async start(): Promise<void> {
    this.#spare.prepare([]);
    await this.#follow([this.#options.entry]);
    this.#queue.request();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watch.close();
    await Promise.all([this.#queue.close(), this.#served?.edge.close()]);
    const stopped = AbortSignal.abort();
    await Promise.all([this.#code?.retire(stopped), this.#replaced.close(), this.#spare.close()]);
  }

  #tell(event: DevEvent): void {
    if (!this.#isClosed || event.kind === "output") this.#options.onEvent(event);
  }

  async #reload(signal: AbortSignal): Promise<void> {
    const { environment: files } = this.#options;
    try {
      const environment = await readEnvironment(files);
      const outcome = await this.#bundler.build();
      const isNew = await this.#follow("bundle" in outcome ? outcome.bundle.files : outcome.files);
      // A file may have changed before it was watched.
      if (isNew) this.#queue.request();
      if (!("bundle" in outcome)) return this.#showProblems(outcome.problems);
      const { bundle } = outcome;
      const isSame = bundle.hash === this.#bundle?.hash && isEqual(environment, this.#environment);
      if (isSame && !this.#isForced) return this.#recover();
      await this.#load(bundle, environment, signal);
    } catch (error) {
      if (signal.aborted || this.#isClosed) return;
      await this.#showError(toWireError(error), this.#bundle?.files ?? []);
    }
  }

  async #load(bundle: Bundle, environment: Record<string, string>, signal: AbortSignal): Promise<void> {
    this.#isForced = false;
    const slow = setTimeout(() => this.#tell({ kind: "slow", afterMs: slowMs }), slowMs);
    const tooLong = new AbortController();
    const late = setTimeout(() => {
      tooLong.abort(new Error(`the code has not finished loading after ${loadMs / 1_000} seconds`));
    }, loadMs);
    try {
      const code = await loadCode(this.#toLoad(bundle, environment, AbortSignal.any([signal, tooLong.signal])));
      await this.#use(code, bundle, environment);
    } catch (error) {
      if (signal.aborted || error === this.#failure) return;
      // The same code is not loaded again.
      this.#remember(bundle, environment);
      await this.#showError(toWireError(error), bundle.files);
    } finally {
      clearTimeout(slow);
      clearTimeout(late);
    }
    if (!this.#isClosed) this.#spare.prepare(bundle.packages);
  }

  #toLoad(bundle: Bundle, environment: Record<string, string>, signal: AbortSignal): LoadCodeOptions {
    const { entry, args } = this.#options;
    const process = this.#spare.take();
    this.#lastProcess += 1;
    const number = this.#lastProcess;
    void process.exited.then(() => this.#stores.ended(number));
    return {
      process,
      request: { url: bundle.url, entry, args, environment },
      signal,
      handlers: {
        store: ({ operation, given }: StoreRequest) => this.#stores.run(number, operation, given),
        url: () => this.#listening.then(({ url = "", port = 0 }) => ({ url, port })),
      },
      onHandlerError: ({ error, errorId, method, name }) => {
        void locateError(error, { files: bundle.files }).then((problem) => {
          this.#tell({ kind: "handlerError", problem, errorId, method, name });
        });
      },
    };
  }

  async #use(code: LoadedCode, bundle: Bundle, environment: Record<string, string>): Promise<void> {
    const before = this.#code;
    this.#isBroken = false;
    this.#remember(bundle, environment);
    this.#code = code;
    this.#watchExit(code);
    const { info, lists } = code.facts;
    const counts = { tools: lists.tools.count, prompts: lists.prompts.count, resources: lists.resources.count };
    const loaded: () => Loaded = () => ({ durationMs: performance.now() - this.#changedAt, name: info.name, counts });
    if (!this.#served) {
      this.#served = await this.#serve(code);
      const { url, consoleUrl } = this.#served.edge;
      this.#tell({ kind: "ready", url, consoleUrl, ...loaded() });
      return;
    }
    const changed = this.#served.front.replace(code);
    this.#tell({ kind: "reloaded", changed, ...loaded() });
    const what = toRestartNotice(this.#served.fixed, fixedOptionsOf(code.facts));
    if (what !== undefined) this.#tell({ kind: "restartNeeded", what });
    if (before?.isInUse) this.#replaced.add(before);
  }

  async #serve(code: LoadedCode): Promise<Served> {
    const ring = createKeyRing(this.#environment.LETHE_KEYS ?? this.#keys);
    const front = new Front({ code, ring, onCall: (call) => this.#tell({ kind: "call", call }) });
    const { http = {}, stdio } = this.#options;
    const { info, serveOptions: given = {} } = code.facts;
    try {
      const edge = stdio ? serveOverStdio(front, stdio) : await listen({ front, name: info.name, given }, http);
      this.#onListening(edge);
      edge.left.then(this.#end, this.#fail);
      return { front, edge, fixed: fixedOptionsOf(code.facts) };
    } catch (error) {
      this.#failure = error;
      this.#fail(error);
      throw error;
    }
  }

  #watchExit(code: LoadedCode): void {
    const startedAt = performance.now();
    void code.exited.then((exit) => {
      if (code !== this.#code || !code.isInUse || this.#isClosed) return;
      const isRestarting = performance.now() - startedAt > minUptimeMs;
      this.#tell({ kind: "crashed", how: describeExit(exit), isRestarting });
      this.#code = undefined;
      this.#served?.front.await(isRestarting ? this.#restart() : Promise.reject(crashError(describeExit(exit))));
    });
  }

  async #restart(): Promise<LoadedCode> {
    this.#changedAt = performance.now();
    this.#isForced = true;
    this.#queue.request();
    await this.#queue.idle;
    if (!this.#code) throw crashError("the server did not start again");
    return this.#code;
  }

  #recover(): void {
    const isServing = this.#code?.isInUse === true;
    if (this.#isBroken && isServing) this.#tell({ kind: "recovered" });
    if (isServing) this.#isBroken = false;
  }

  #remember(bundle: Bundle, environment: Record<string, string>): void {
    this.#bundle = bundle;
    this.#environment = environment;
  }

  /** Returns whether other files are watched now. */
  async #follow(files: readonly string[]): Promise<boolean> {
    const { environment, watched } = this.#options;
    const next = [...new Set([...files, ...environment.files, ...watched])].sort();
    const isNew = !isEqual(next, this.#watched);
    this.#watched = next;
    await this.#watch.follow(next);
    return isNew;
  }

  async #showError(error: WireError, files: readonly string[]): Promise<void> {
    this.#showProblems([await locateError(error, { files })]);
  }

  #showProblems(problems: Extract<DevEvent, { kind: "broken" }>["problems"]): void {
    this.#isBroken = true;
    this.#tell({ kind: "broken", problems, isServing: this.#code !== undefined });
  }
}

function crashError(how: string): McpError {
  return new McpError(errorCode.internalError, `${how}: see the terminal of lethe dev`, { data: { reason: "lost" } });
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
