// What all calls of one server share to open sessions.
import { createTurns, type TakeTurns } from "../replicas/take-turns.ts";
import type { KeyRing } from "../seal/key-ring.ts";
import type { SessionDefinition } from "./session.ts";
import { createSessionHandles, type SessionHandles } from "./session-handle.ts";
import type { SessionStateStore } from "./session-state-store.ts";

export interface SessionPartsOptions {
  readonly ring: KeyRing;
  /** The name of the server. */
  readonly server: string;
  readonly store: SessionStateStore | undefined;
  readonly now: () => number;
  /** Called once, when a key of this process alone seals the first handle. */
  onEphemeral(): void;
}

/** Without a store, the handle contains the state, and a model has to copy it. */
const maxSealedBytes = 2_048;
const maxStoredBytes = 65_536;
/** The content of a handle that names a session in a store, or the wrapper of a state, in bytes. */
const wrapperBytes = 128;

export class SessionParts {
  readonly server: string;
  readonly store: SessionStateStore | undefined;
  /** Writes of one session take turns, so that calls of this process fail for each other only when they replace the state. */
  readonly takeTurn: TakeTurns = createTurns();
  readonly #options: SessionPartsOptions;
  readonly #handles = new WeakMap<SessionDefinition, SessionHandles>();

  constructor(options: SessionPartsOptions) {
    this.server = options.server;
    this.store = options.store;
    this.#options = options;
  }

  maxBytesOf({ maxBytes }: SessionDefinition): number {
    return maxBytes ?? (this.store ? maxStoredBytes : maxSealedBytes);
  }

  handlesOf(session: SessionDefinition): SessionHandles {
    const known = this.#handles.get(session);
    if (known) return known;
    const { ring, server, now, onEphemeral } = this.#options;
    const { name, ttlMs } = session;
    const maxBytes = (this.store ? 0 : this.maxBytesOf(session)) + wrapperBytes;
    const made = createSessionHandles(ring, { server, name, ttlMs, maxBytes, now, onEphemeral });
    this.#handles.set(session, made);
    return made;
  }
}
