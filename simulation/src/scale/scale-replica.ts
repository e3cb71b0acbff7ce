// A gateway replica as its network sees it: the real directory, connection, peer evidence and health check of @lethe/redis in a simulated
// process, and in front of them the loop by which a gateway serves a call. Upstream servers answer at once.
import { type Dispatch, type Exchange, McpError, type ModernRequest, type Result } from "@lethe/protocol";
import { connectRedis, createRedisDirectory, type RedisDirectory } from "@lethe/redis";
import { pause, ReplicaError } from "@lethe/server/stores";
import { RedisHealth } from "../../../packages/redis/src/connection/redis-health.ts";
import { createPeerEvidence, type PeerEvidence } from "../../../packages/redis/src/peers/peer-evidence.ts";
import { ask } from "../network/peer-exchange.ts";
import { isNotStarted } from "../replicas/replica.ts";
import { Program } from "../world/program.ts";
import { callResult, sessionOf, toCallRequest } from "./call-size.ts";
import type { MeasuredWorld } from "./measured-world.ts";

/** Where a call was served. */
export type Served = "here" | "forwarded";

const path = "/mcp";
const timeoutMs = 5_000;
/** How a gateway holds a call that cannot start: request-hold.ts. */
const waitMs = 10_000;
const firstPauseMs = 50;
const maxPauseMs = 250;

/** A caller that waits for its result. */
const exchange: Exchange = {
  caller: { id: "https://id.example.com|user-00000001" },
  get signal(): AbortSignal {
    throw new Error("the simulation has no signals");
  },
  onAbort: () => {},
  notify: () => true,
  drained: () => Promise.resolve(),
};

export class ScaleReplica extends Program {
  readonly #world: MeasuredWorld;
  readonly #onLost: (replica: ScaleReplica) => void;
  #evidence: PeerEvidence | undefined;
  #directory: RedisDirectory | undefined;

  /** `onLost` is called when this replica knows that another one was lost. */
  constructor(world: MeasuredWorld, name: string, onLost: (replica: ScaleReplica) => void) {
    super({ world, name, machine: name, commandTimeoutMs: timeoutMs, onEnd: () => {} });
    this.#world = world;
    this.#onLost = onLost;
    world.listen(name, { process: this.process, answer: (question) => this.#evidence?.answer(question) });
    this.begin(() => this.#start());
  }

  get isReady(): boolean {
    return this.#directory !== undefined;
  }

  get directory(): RedisDirectory {
    if (!this.#directory) throw new Error(`${this.name} has not started`);
    return this.#directory;
  }

  /** Only a killed replica stops. */
  stop(): void {
    this.kill();
  }

  /** Serves a call of a caller. Rejects with McpError or ReplicaError after `waitMs`. */
  async serve(session: string): Promise<Served> {
    const { clock } = this.process;
    const endsAt = clock.now() + waitMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 1.5)) {
      try {
        return await this.#attempt(session);
      } catch (error) {
        if (!isNotStarted(error) || clock.now() >= endsAt) throw error;
        await pause(clock, pauseMs * this.#world.random.between(0.5, 1));
      }
    }
  }

  async #start(): Promise<void> {
    const { ring, traffic } = this.#world;
    const { clock } = this.process;
    const onProblem = (): void => {};
    const health = new RedisHealth({
      ...{
        url: "redis://simulated",
        clock,
        onBegin: onProblem,
        onEnd: onProblem,
        onLost: onProblem,
        onBack: onProblem,
      },
    });
    const { connectionLost: onLost, connectionBack: onBack } = health;
    const connection = await connectRedis({ url: "redis://simulated", timeoutMs, onLost, onBack });
    const self = crypto.randomUUID();
    const asking = { process: this.process, address: this.machine, timeoutMs: 300 };
    const transport = {
      ask: async (to: string, question: string): Promise<string> => {
        traffic.direct(question.length);
        const answer = await ask(this.#world, asking, to, question);
        traffic.direct(answer.length);
        return answer;
      },
    };
    const evidence = await createPeerEvidence({
      ...{ self, ring, transport, clock, onProblem, link: connection },
      address: () => this.machine,
    });
    this.#evidence = evidence;
    this.#directory = await createRedisDirectory({
      ...{ connection, ring, clock, self, evidence, address: this.machine, onProblem },
      dispatchAt: (at) => (at === path ? this.#dispatch : undefined),
      onReplica: ({ kind }) => kind === "lost" && this.#onLost(this),
    });
    health.watch(connection);
  }

  readonly #dispatch: Dispatch = async (request: ModernRequest): Promise<Result> => {
    const { directory } = this;
    const session = sessionOf(request);
    if (directory.holds(session) || (await directory.acquire(session)).owner === directory.self) return callResult;
    throw new McpError(-32_603, "the session has moved", { data: { reason: "unavailable" } });
  };

  async #attempt(session: string): Promise<Served> {
    const { directory } = this;
    if (directory.holds(session)) return "here";
    const { owner } = await directory.acquire(session);
    if (owner === directory.self) return "here";
    const dispatch = await directory.reach(owner, path, session);
    if (!dispatch) throw new ReplicaError("unavailable", "the owner is gone");
    await dispatch(toCallRequest(session), exchange);
    return "forwarded";
  }
}
