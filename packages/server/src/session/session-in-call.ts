// One session in one call: reads its state, collects changes, and writes them with compare-and-set.
import type { Caller } from "@lethe/protocol";
import { toIssueText } from "../features/issue-text.ts";
import { ToolError } from "../features/tool-error.ts";
import { toJsonValue } from "../interaction/json-value.ts";
import { digestOf } from "../seal/digest.ts";
import type { OpenSession } from "./open-session.ts";
import type { SessionDefinition } from "./session.ts";
import { invalidHandle } from "./session-handle.ts";
import type { SessionParts } from "./session-parts.ts";
import type { SessionStateStore } from "./session-state-store.ts";

/** What a session needs of its call. */
export interface SessionCall {
  readonly caller: Caller | undefined;
  /** The argument as the caller sent it. */
  argument(name: string): unknown;
  /** Returns `value` of the first round of the call in all its rounds. */
  once(key: string, value: number): Promise<number>;
}

export interface WrittenSession {
  readonly session: SessionDefinition;
  /** Undefined when nothing changed, or for a session by caller. */
  readonly handle: string | undefined;
}

interface Place {
  readonly store: SessionStateStore;
  /** Undefined for a session by caller. */
  readonly id: string | undefined;
  readonly key: string;
  /** Whether the caller passed a handle. */
  readonly isContinued: boolean;
}

interface Read {
  /** As stored. */
  readonly stored: unknown;
  /** 0 for a new session. */
  readonly version: number;
}

type Change = { readonly set: unknown } | { readonly update: (current: never) => unknown };

/** After the first attempt, one fails only if another process changed the session meanwhile. */
const maxAttempts = 20;

export class SessionInCall implements OpenSession<unknown> {
  readonly #parts: SessionParts;
  readonly #session: SessionDefinition;
  readonly #call: SessionCall;
  readonly #place: Place | undefined;
  #read: Read;
  #value: unknown;
  #stored: unknown;
  #changes: Change[] = [];
  #hasEnded = false;
  /** Changes are applied one after the other. */
  #applying: Promise<unknown> = Promise.resolve();

  private constructor(
    [parts, session, call]: [SessionParts, SessionDefinition, SessionCall],
    place: Place | undefined,
    read: Read,
    value: unknown,
  ) {
    this.#parts = parts;
    this.#session = session;
    this.#call = call;
    this.#place = place;
    this.#read = read;
    this.#stored = read.stored;
    this.#value = value;
  }

  static async begin(parts: SessionParts, session: SessionDefinition, call: SessionCall): Promise<SessionInCall> {
    const content = await openHandle(parts, session, call);
    const place = await placeOf(parts, session, call, content?.id);
    const read = place ? await readFrom(place, session) : { stored: content?.value, version: content ? 1 : 0 };
    if (place) await requireSameRound(call, session, read.version);
    if (read.version === 0) return new SessionInCall([parts, session, call], place, read, await initialOf(session));
    const checked = await session.check(read.stored);
    if (checked.issues) {
      throw new ToolError(`the ${session.name} is of another version of this server: begin a new ${session.name}`);
    }
    return new SessionInCall([parts, session, call], place, read, checked.value);
  }

  get value(): unknown {
    return this.#value;
  }

  get isNew(): boolean {
    return this.#read.version === 0;
  }

  set(value: unknown): Promise<unknown> {
    return this.#change({ set: value });
  }

  update(change: (current: never) => unknown): Promise<unknown> {
    return this.#change({ update: change });
  }

  end(): void {
    this.#hasEnded = true;
    this.#changes = [];
  }

  #change(change: Change): Promise<unknown> {
    if (this.#hasEnded) return Promise.reject(new Error(`session ${JSON.stringify(this.#session.name)} has ended`));
    const applied = this.#applying.then(async () => {
      await this.#apply(change);
      this.#changes.push(change);
      return this.#value;
    });
    this.#applying = applied.catch(() => {});
    return applied;
  }

  async #apply(change: Change): Promise<void> {
    const place = `session ${JSON.stringify(this.#session.name)}`;
    const next = "set" in change ? change.set : change.update(structuredClone(this.#value) as never);
    const stored = toJsonValue(next, place);
    const checked = await this.#session.check(stored);
    if (checked.issues) throw new Error(`${place}: ${toIssueText(checked.issues)}`);
    const size = new TextEncoder().encode(JSON.stringify(stored)).length;
    const maxBytes = this.#parts.maxBytesOf(this.#session);
    if (size > maxBytes) {
      const advice = this.#place ? "" : "; pass the server option sessionStore to keep larger state";
      throw new RangeError(`${place}: at most ${maxBytes} bytes of state expected, got ${size}${advice}`);
    }
    this.#stored = stored;
    this.#value = checked.value;
  }

  /** Rejects with a ToolError if another call has changed the session. */
  async write(): Promise<WrittenSession> {
    await this.#applying;
    const session = this.#session;
    if (this.#hasEnded) {
      if (this.#place && !this.isNew) await this.#place.store.delete(this.#place.key, this.#read.version);
      return { session, handle: undefined };
    }
    if (this.#changes.length === 0) return { session, handle: undefined };
    const place = this.#place;
    if (place) await this.#parts.takeTurn(place.key, () => this.#writeTo(place));
    if (session.handleName === undefined) return { session, handle: undefined };
    const content = place ? { id: place.id } : { value: this.#stored };
    const handle = await this.#parts.handlesOf(session).seal(content, this.#call.caller?.id);
    return { session, handle };
  }

  async #writeTo(place: Place): Promise<void> {
    const { name, ttlMs } = this.#session;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const options = { expected: this.#read.version, ttlMs };
      if (await place.store.write(place.key, JSON.stringify(this.#stored), options)) return;
      if (this.#changes.some((change) => "set" in change)) break;
      await this.#readAgain(place);
    }
    throw changedMeanwhile(name);
  }

  /** Repeats the updates on the state that another call has written. */
  async #readAgain(place: Place): Promise<void> {
    this.#read = await readFrom(place, this.#session);
    const { stored, version } = this.#read;
    const checked = version === 0 ? undefined : await this.#session.check(stored);
    if (checked?.issues) throw changedMeanwhile(this.#session.name);
    this.#value = checked ? checked.value : await initialOf(this.#session);
    for (const change of this.#changes) await this.#apply(change);
  }
}

/** The content of the handle that the caller passed. Undefined without one. */
async function openHandle(
  parts: SessionParts,
  session: SessionDefinition,
  { caller, argument }: SessionCall,
): Promise<{ id?: string; value?: unknown } | undefined> {
  if (session.handleName === undefined) return undefined;
  const handle = argument(session.handleName);
  if (handle === undefined) return undefined;
  const content = await parts.handlesOf(session).open(handle, caller?.id);
  // A store was added or removed since the handle was made.
  const isOfStore = typeof content.id === "string";
  if (isOfStore !== (parts.store !== undefined)) throw invalidHandle(session.name);
  return content;
}

/** Undefined without a store. */
async function placeOf(
  { store, server }: SessionParts,
  { name, handleName }: SessionDefinition,
  { caller }: SessionCall,
  known: string | undefined,
): Promise<Place | undefined> {
  const place = `session ${JSON.stringify(name)} by caller`;
  if (handleName === undefined && !store) throw new Error(`${place}: the server needs the option sessionStore`);
  if (handleName === undefined && caller === undefined) throw new Error(`${place}: the server needs the option auth`);
  if (!store) return undefined;
  const id = handleName === undefined ? undefined : (known ?? globalThis.crypto.randomUUID());
  const key = await digestOf(["session", server, name, caller?.id ?? null, id ?? null]);
  return { store, id, key, isContinued: known !== undefined };
}

async function readFrom({ store, key, isContinued }: Place, { name }: SessionDefinition): Promise<Read> {
  const found = await store.read(key);
  if (found) return { stored: JSON.parse(found.text), version: found.version };
  // It has expired or ended.
  if (isContinued) throw invalidHandle(name);
  return { stored: undefined, version: 0 };
}

/** A handler that runs again must read what it read before. */
async function requireSameRound(call: SessionCall, { name }: SessionDefinition, version: number): Promise<void> {
  if ((await call.once(`lethe session ${name}`, version)) !== version) throw changedMeanwhile(name);
}

async function initialOf({ name, initial, check }: SessionDefinition): Promise<unknown> {
  const checked = await check(structuredClone(initial));
  if (checked.issues) throw new Error(`session ${JSON.stringify(name)}: initial: ${toIssueText(checked.issues)}`);
  return checked.value;
}

function changedMeanwhile(name: string): ToolError {
  return new ToolError(`another call has changed the ${name} meanwhile: call again`);
}
