// A gateway replica: the directory, messages and peer evidence of @lethe/redis in a simulated process, and in front of them a small model
// of what the gateway does with a request (it finds or opens the session, forwards to its owner, holds what has not started).
import { type Dispatch, type Exchange, isMcpError, McpError, onAbort } from "@lethe/protocol";
import { connectRedis, createRedisDirectory, type RedisConnection, type RedisDirectory } from "@lethe/redis";
import { isReplicaError, pause, ReplicaError } from "@lethe/server/stores";
import { createPeerEvidence, type PeerEvidence } from "../../../packages/redis/src/peers/peer-evidence.ts";
import type { Checker, Owner } from "../history/checker.ts";
import { ask } from "../network/peer-exchange.ts";
import { Program, type ProgramOptions } from "../world/program.ts";
import { type Call, type CallResult, fromResult, toCall, toRequest, toResult } from "./call.ts";
import { UpstreamSessions } from "./upstream-sessions.ts";

export interface ReplicaOptions extends ProgramOptions {
  readonly checker: Checker;
  /** Whether it uses direct connections to other replicas that use them, too. */
  readonly isDirect: boolean;
  /** All living processes, also this one. */
  others(): readonly Replica[];
}

const path = "/mcp";
/** Where replicas accept direct connections. */
const directPort = 7000;
/** Four messages of this size, unacknowledged, make a direct connection full. */
const maxMessageBytes = 1_000;
/** `sessions.waitMs` of the gateway. */
const waitMs = 10_000;
const firstPauseMs = 50;
const maxPauseMs = 250;

export class Replica extends Program implements Owner {
  readonly #options: ReplicaOptions;
  readonly #sessions: UpstreamSessions;
  #connection: RedisConnection | undefined;
  #evidence: PeerEvidence | undefined;
  #directory: RedisDirectory | undefined;
  #isDraining = false;

  constructor(options: ReplicaOptions) {
    super(options);
    const { world, name, machine } = options;
    this.#options = options;
    this.#sessions = new UpstreamSessions(name, this.process.clock);
    world.listen(machine, { process: this.process, answer: (question) => this.#evidence?.answer(question) });
    this.begin(() => this.#start());
  }

  get isReady(): boolean {
    return this.process.isAlive && this.#directory !== undefined && !this.#isDraining;
  }

  get isAlone(): boolean {
    return this.#evidence?.size === 0;
  }

  holds(session: string): boolean {
    return this.process.isAlive && this.#directory?.holds(session) === true;
  }

  /** Gives up its sessions, ends running calls within `graceMs`, and ends. */
  stop(graceMs: number): void {
    if (!this.isReady) return;
    this.#isDraining = true;
    this.process.run(() => {
      const directory = this.#directory as RedisDirectory;
      const left = directory.leave(graceMs).then(() => directory.close());
      void left.finally(() => {
        this.#evidence?.close();
        this.#connection?.close();
        this.kill();
      });
    });
  }

  /** A request of a caller. Rejects with McpError or ReplicaError. Begins at most once. */
  async handle(call: Call, exchange: Exchange): Promise<CallResult> {
    const { clock } = this.process;
    const endsAt = clock.now() + waitMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 1.5)) {
      try {
        return await this.#attempt(call, exchange);
      } catch (error) {
        if (!isNotStarted(error) || clock.now() >= endsAt || this.#isDraining) throw error;
        await pause(clock, Math.min(pauseMs * this.#options.world.random.between(0.5, 1), endsAt - clock.now()));
      }
    }
  }

  async #start(): Promise<void> {
    const { world, machine, commandTimeoutMs, isDirect } = this.#options;
    const { clock } = this.process;
    const { ring } = world;
    const say = (what: string): void => this.say(what);
    const connection = await connectRedis({
      ...{ url: "redis://simulated", timeoutMs: commandTimeoutMs },
      onLost: (reason) => say(`lost Redis: ${reason}`),
      onBack: () => say("reaches Redis again"),
    });
    this.#connection = connection;
    const self = crypto.randomUUID();
    const timeoutMs = 300;
    const transport = {
      ask: (to: string, text: string) => ask(world, { process: this.process, address: machine, timeoutMs }, to, text),
    };
    const evidence = await createPeerEvidence({
      ...{ self, ring, transport, clock, onProblem: say, link: connection },
      address: () => machine,
    });
    this.#evidence = evidence;
    const directory = await createRedisDirectory({
      ...{ connection, ring, clock, self, evidence, address: machine, onProblem: say },
      lookupMs: this.#options.world.random.pick([700, 1_300, Number.POSITIVE_INFINITY]),
      dispatchAt: (at) => (at === path && !this.#isDraining ? this.#dispatch : undefined),
      onReplica: ({ kind, replica }) => say(`${replica.slice(0, 4)} ${kind}`),
      ...(isDirect && { direct: { listen: { host: machine, port: directPort } }, maxMessageBytes }),
      onLink: ({ kind, replica, reason }) => say(`direct connection to ${replica.slice(0, 4)} ${kind} ${reason}`),
    });
    directory.onLost((session) => {
      say(`lost ${session}`);
      this.#sessions.end(session);
    });
    this.#directory = directory;
    say(`ready as ${self.slice(0, 4)}`);
  }

  readonly #dispatch: Dispatch = async (request, exchange) => {
    try {
      return toResult(await this.#attempt(toCall(request), exchange));
    } catch (error) {
      // The gateway answers a replica like any other caller: with an error of the protocol.
      throw isMcpError(error) ? error : notStartedError(error);
    }
  };

  async #attempt(call: Call, exchange: Exchange): Promise<CallResult> {
    const directory = this.#directory as RedisDirectory;
    const { session } = call;
    let hasLeft = false;
    onAbort(exchange, () => {
      hasLeft = true;
    });
    for (let isFirst = true; ; isFirst = false) {
      // Without an await in between: ownership is judged at the moment in which the request begins.
      if (this.#sessions.has(session) && directory.holds(session)) return await this.#begin(call);
      const { owner, formerOwner } = await directory.acquire(session, { isForwarded: exchange.isForwarded });
      if (hasLeft) throw new McpError(-32_603, "the caller has left");
      if (owner === directory.self) {
        if (formerOwner !== undefined) this.#options.world.tell(`${this.name} takes ${session} from a former owner`);
        return await this.#begin(call);
      }
      try {
        const dispatch = await directory.reach(owner, path, session);
        if (!dispatch) throw new ReplicaError("unavailable", "the owner is gone");
        const before = directory.messages.direct;
        const answer = dispatch(toRequest(call), exchange);
        if (directory.messages.direct > before) this.#options.checker.forwardedDirectly += 1;
        return fromResult(await answer);
      } catch (error) {
        if (!isFirst || !isNotStarted(error)) throw error;
      }
    }
  }

  /** The upstream starts to execute the request. */
  #begin(call: Call): Promise<CallResult> {
    const { world, checker, others } = this.#options;
    const state = this.#sessions.open(call.session);
    if (call.kind !== "answer" || state.waits(call)) {
      world.tell(`${this.name} begins ${call.id} (${call.kind}) in ${call.session}, state ${state.id}`);
      checker.begin(
        ...([call, state.id, this] as const),
        others().filter((other) => other !== this),
      );
    }
    return state.run(call);
  }
}

/** Whether a request certainly did not begin. */
export function isNotStarted(error: unknown): boolean {
  if (isReplicaError(error)) return error.reason === "unavailable" || error.reason === "busy";
  if (!isMcpError(error)) return false;
  const { reason } = (error.data ?? {}) as { reason?: string };
  return reason === "unavailable";
}

function notStartedError(error: unknown): McpError {
  const reason = isReplicaError(error) ? error.reason : "lost";
  return new McpError(-32_603, (error as Error).message, { data: { reason } });
}
