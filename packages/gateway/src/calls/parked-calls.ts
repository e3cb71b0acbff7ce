// Calls that an upstream keeps open until their callers have answered (D-51): counted, bounded, and given up after a while.
import { type InputRequests, type MemoryHolding, processMemory, smallBytes } from "@lethe/protocol";
import type { Session } from "../upstreams/sessions/session.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import { type CallerQuota, createCallerQuota } from "./caller-quota.ts";

export interface ParkingLimits {
  /** Default 1,000. */
  maxParked?: number;
  /** Of one caller. Default 100. */
  maxParkedPerCaller?: number;
  /** How long a call waits for its caller, in ms. Default 10 minutes. */
  parkedTtlMs?: number;
}

export interface ParkedCall {
  readonly sessions: UpstreamSessions;
  readonly session: Session;
  /** The upstream's name for the call. */
  readonly inner: string;
  readonly callerId: string | undefined;
  /** The tool, prompt or resource, as its caller named it. */
  readonly name: string;
  /** What its caller was asked, by key. */
  readonly questions: InputRequests;
}

interface Entry extends ParkedCall {
  readonly expiresAt: number;
  /** Of questions that are not small. */
  readonly held: MemoryHolding | undefined;
}

export class ParkedCalls {
  readonly ttlMs: number;
  readonly #maxParked: number;
  readonly #quota: CallerQuota;
  /** One time to live for all: the order of insertion is the order of expiry. */
  readonly #entries: Map<string, Entry> = new Map();
  #timer: NodeJS.Timeout | undefined;

  constructor({ maxParked = 1_000, maxParkedPerCaller = 100, parkedTtlMs = 600_000 }: ParkingLimits = {}) {
    this.#maxParked = maxParked;
    this.#quota = createCallerQuota(maxParkedPerCaller);
    this.ttlMs = parkedTtlMs;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The oldest first, with the time when each is given up, in ms since 1970. */
  get calls(): readonly (ParkedCall & { readonly expiresAt: number })[] {
    return [...this.#entries.values()];
  }

  /** Keeps the session open. False when there is no room: the call is then to be given up. */
  park(call: ParkedCall): boolean {
    const bytes = JSON.stringify(call.questions).length;
    if (this.#entries.size >= this.#maxParked || !processMemory.hasRoomFor(bytes)) return false;
    if (!this.#quota.take(call.callerId, 1)) return false;
    call.sessions.enter(call.session);
    const held = bytes < smallBytes ? undefined : processMemory.hold("calls");
    held?.set(bytes);
    this.#entries.set(keyOf(call.session, call.inner), { ...call, expiresAt: Date.now() + this.ttlMs, held });
    this.#arm();
    return true;
  }

  find(session: Session, inner: string): ParkedCall | undefined {
    return this.#entries.get(keyOf(session, inner));
  }

  /** For whoever goes on with the call: works once. */
  take(session: Session, inner: string): ParkedCall | undefined {
    const key = keyOf(session, inner);
    const entry = this.#entries.get(key);
    if (entry) this.#remove(key, entry);
    return entry;
  }

  /** Forgets what waited in a session that is over. */
  forget(session: Session): void {
    for (const [key, entry] of this.#entries) if (entry.session === session) this.#remove(key, entry);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const { held } of this.#entries.values()) held?.release();
    this.#entries.clear();
  }

  #remove(key: string, { sessions, session, callerId, held }: Entry): void {
    this.#entries.delete(key);
    held?.release();
    this.#quota.giveBack(callerId, 1);
    sessions.leave(session);
  }

  /** The connection cancels its call by itself, after the same time. */
  #expire(): void {
    this.#timer = undefined;
    for (const [key, entry] of this.#entries) {
      if (entry.expiresAt > Date.now()) break;
      this.#remove(key, entry);
    }
    this.#arm();
  }

  #arm(): void {
    const oldest = this.#entries.values().next().value;
    if (!oldest || this.#timer) return;
    this.#timer = setTimeout(() => this.#expire(), Math.max(1, oldest.expiresAt - Date.now())).unref();
  }
}

function keyOf(session: Session, inner: string): string {
  return `${session.id} ${inner}`;
}
