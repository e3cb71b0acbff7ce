// The registry of pending calls: calls whose server waits for an elicitation, a sampling result or roots of the caller.
// Each entry has an unguessable id, which works once. It expires, because a caller may never send the answers.
import {
  checkOptions,
  type Dispatch,
  type Exchange,
  type InputRequests,
  invalidParams,
  type JsonObject,
  type KnownOptions,
  type McpError,
  type MemoryHolding,
  type ModernRequest,
  processMemory,
  type Result,
  smallBytes,
} from "@lethe/protocol";
import { type BackgroundTimer, startBackgroundTimer } from "./background-timer.ts";
import { readAnswers } from "./read-answers.ts";

/** The limits of a registry of pending calls. */
export interface PendingCallLimits {
  /** Pending calls at a time. Default 100. */
  maxPending?: number;
  /** Pending calls of one caller at a time. Calls without a caller id are not counted. Default: `maxPending`. */
  maxPendingPerCaller?: number;
  /** How long a call waits for its caller before it is cancelled, in milliseconds. Default 600,000 (10 minutes). */
  pendingTtlMs?: number;
  /**
   * What happens to a call that asks when the registry is full. "reject-input": its input request is rejected, and the
   * call continues. "fail-call": the call is cancelled and fails with a TransportError. Default "reject-input".
   */
  whenFull?: "reject-input" | "fail-call";
}

export const knownPendingCallLimits: KnownOptions<PendingCallLimits> = {
  maxPending: true,
  maxPendingPerCaller: true,
  pendingTtlMs: true,
  whenFull: true,
};

/** A call as its connection adds it. */
export interface WaitingCall {
  /** What the connection drops its calls by when it ends. */
  readonly owner: object;
  /** The first request of the call. A retry has the same method and target. */
  readonly request: Pick<ModernRequest, "method" | "params">;
  /** The caller that may resume the call. Undefined for a caller without identity. */
  readonly callerId: string | undefined;
  /** The input requests that the caller has to answer, by key. */
  readonly inputRequests: InputRequests;
  /** Starts the next round. Throws when the round cannot start; the call then stays pending. */
  resume(answers: JsonObject, request: ModernRequest, exchange: Exchange): Promise<Result>;
  /** Cancels the call at the server. */
  cancel(reason: string): void;
}

/** What keeps a resource, such as a session, for as long as the call is pending. */
export interface PendingCallHolder {
  /** Called once, when the call is resumed, abandoned, expired or dropped. */
  release(): void;
}

/** A pending call, as the registry shows it. */
export interface PendingCall<Holder extends PendingCallHolder = PendingCallHolder> {
  /** The `requestState` of the `input_required` result. */
  readonly id: string;
  /** The connection that added the call. */
  readonly owner: object;
  /** The caller that may resume the call. Undefined for a caller without identity. */
  readonly callerId: string | undefined;
  /** The input requests that the caller has to answer, by key. */
  readonly inputRequests: InputRequests;
  /** When the call is cancelled, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** The resource that is kept while the call is pending. */
  readonly holder: Holder | undefined;
}

interface Entry<Holder extends PendingCallHolder> extends PendingCall<Holder> {
  readonly call: WaitingCall;
  /** Counts params and input requests that are not small in the memory budget of the process. */
  readonly memory: MemoryHolding | undefined;
  holder: Holder | undefined;
}

/**
 * The registry of calls whose legacy server waits for an answer of their caller. One registry may serve several connections: the limits
 * then apply to all of them together. By default it holds 100 calls for 10 minutes each.
 *
 * @example
 * import { createRequestBuilder, PendingCalls } from "@lethe/client/edge";
 *
 * const calls = new PendingCalls({ maxPending: 10, pendingTtlMs: 60_000 });
 * const { build } = createRequestBuilder({ capabilities: {}, revision: "2026-07-28" });
 *
 * // A connection adds its calls; a gateway lists, resumes and abandons them.
 * const id = calls.add({
 *   owner: {},
 *   request: build("tools/call", { name: "book" }),
 *   callerId: "ana",
 *   inputRequests: { roots: { method: "roots/list" } },
 *   resume: async () => ({ resultType: "complete", content: [] }),
 *   cancel: (reason) => console.error(reason),
 * });
 * console.log(calls.size, calls.get(id ?? "")?.callerId); // 1 ana
 * calls.drop(() => true);
 */
export class PendingCalls<Holder extends PendingCallHolder = PendingCallHolder> {
  readonly ttlMs: number;
  readonly whenFull: "reject-input" | "fail-call";
  /** The most calls that may be pending. */
  readonly max: number;
  readonly #maxPerCaller: number;
  /** All entries have the same time to live, so that the order of insertion is the order of expiry. */
  readonly #entries: Map<string, Entry<Holder>> = new Map();
  #timer: BackgroundTimer | undefined;

  constructor(limits: PendingCallLimits = {}) {
    checkOptions("PendingCalls", limits, knownPendingCallLimits);
    const { maxPending = 100, maxPendingPerCaller = maxPending, pendingTtlMs = 600_000 } = limits;
    this.max = maxPending;
    this.#maxPerCaller = maxPendingPerCaller;
    this.ttlMs = pendingTtlMs;
    this.whenFull = limits.whenFull ?? "reject-input";
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Every pending call, the oldest first. */
  list(): readonly PendingCall<Holder>[] {
    return [...this.#entries.values()];
  }

  get(id: string): PendingCall<Holder> | undefined {
    return this.#entries.get(id);
  }

  /** Called by a connection. Returns the id of the call, or undefined when a limit is reached. */
  add(call: WaitingCall): string | undefined {
    const { owner, callerId, inputRequests } = call;
    const bytes = bytesOf(call);
    if (this.#entries.size >= this.max || !processMemory.hasRoomForCall(bytes)) return undefined;
    if (callerId !== undefined && this.#countOf(callerId) >= this.#maxPerCaller) return undefined;
    const memory = bytes < smallBytes ? undefined : processMemory.hold("calls");
    memory?.set(bytes);
    const id = crypto.randomUUID();
    const expiresAt = Date.now() + this.ttlMs;
    this.#entries.set(id, { id, owner, callerId, inputRequests, expiresAt, holder: undefined, call, memory });
    this.#arm();
    return id;
  }

  /** Ties a resource to the call. The call must be pending, and has one holder. */
  hold(id: string, holder: Holder): void {
    const entry = this.#entries.get(id);
    if (entry) entry.holder = holder;
    else holder.release();
  }

  /**
   * Checks the answers and returns the Dispatch of the next round, which works once. Until it runs, the call stays pending.
   * Throws McpError -32602, the same for every id that the caller cannot use, and for an answer that does not fit its input
   * request; the caller may then send another answer.
   */
  resume(id: string, responses: JsonObject, callerId: string | undefined): Dispatch {
    const entry = this.#entries.get(id);
    if (!entry || entry.callerId !== callerId) throw unknownCall();
    const answers = readAnswers(entry.inputRequests, responses);
    return (request, exchange) => {
      if (this.#entries.get(id) !== entry || !isSameTarget(entry.call.request, request)) throw unknownCall();
      const result = entry.call.resume(answers, request, exchange);
      this.#remove(entry);
      return result;
    };
  }

  /** Cancels the call at its server. Returns false when it is not pending. */
  abandon(id: string, reason = "the caller does not answer"): boolean {
    const entry = this.#entries.get(id);
    if (entry) this.#cancel(entry, reason);
    return entry !== undefined;
  }

  /** Removes calls whose connection has ended, without cancelling them. */
  drop(hasEnded: (call: PendingCall<Holder>) => boolean): void {
    for (const entry of this.#entries.values()) if (hasEnded(entry)) this.#remove(entry);
    if (this.#entries.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #countOf(callerId: string): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.callerId === callerId) count += 1;
    return count;
  }

  #cancel(entry: Entry<Holder>, reason: string): void {
    this.#entries.delete(entry.id);
    entry.call.cancel(reason);
    // Only now: releasing the last holder may close the connection.
    this.#remove(entry);
  }

  #remove(entry: Entry<Holder>): void {
    this.#entries.delete(entry.id);
    entry.memory?.release();
    const { holder } = entry;
    entry.holder = undefined;
    holder?.release();
  }

  #expire(): void {
    this.#timer = undefined;
    const now = Date.now();
    for (const entry of this.#entries.values()) {
      if (entry.expiresAt > now) break;
      this.#cancel(entry, "the caller brought no answer in time");
    }
    this.#arm();
  }

  #arm(): void {
    const oldest = this.#entries.values().next().value;
    if (!oldest || this.#timer) return;
    this.#timer = startBackgroundTimer(() => this.#expire(), Math.max(1, oldest.expiresAt - Date.now()));
  }
}

/** An open HTTP request keeps its body, which repeats the params. */
function bytesOf({ request, inputRequests }: WaitingCall): number {
  return 2 * JSON.stringify(request.params).length + JSON.stringify(inputRequests).length;
}

/** The same error for every reason, so that a caller learns nothing about the calls of others. */
function unknownCall(): McpError {
  return invalidParams("invalid or expired requestState");
}

function isSameTarget(first: Pick<ModernRequest, "method" | "params">, retry: ModernRequest): boolean {
  const { name, uri } = first.params;
  return first.method === retry.method && name === retry.params.name && uri === retry.params.uri;
}
