// Which session serves a caller that declares extensions. A modern upstream reads the declaration in each request. A legacy one keeps that
// of its `initialize`, so that it needs another session for each declaration.
import { type DeclaredExtensions, noExtensions } from "../../extensions/declared-extensions.ts";
import { ObservedDeclarations } from "../../extensions/observed-declarations.ts";
import { ownKey, withDeclared } from "./affinity.ts";
import type { Session, SessionKey } from "./session.ts";
import type { SessionPool } from "./session-pool.ts";

export interface DeclaredSessionsOptions {
  /** Shared by both eras of an upstream. Default: own ones. */
  readonly declarations: ObservedDeclarations | undefined;
  readonly pool: SessionPool;
  /** Whether the upstream takes one connection, or one request, at a time. */
  isSingle(): boolean;
}

export class DeclaredSessions {
  readonly #declarations: ObservedDeclarations;
  readonly #pool: SessionPool;
  readonly #isSingle: () => boolean;

  constructor({ declarations = new ObservedDeclarations(), pool, isSingle }: DeclaredSessionsOptions) {
    this.#declarations = declarations;
    this.#pool = pool;
    this.#isSingle = isSingle;
  }

  /** A session of one caller belongs to one declaration. Callers share sessions unless the upstream offers them something else. */
  keyFor(key: SessionKey, declared: DeclaredExtensions): SessionKey {
    const isApart = !key.isOwn || (!this.#isSingle() && this.#declarations.matters(declared) === true);
    return isApart ? withDeclared(key, declared) : key;
  }

  /** Returns the session in which the gateway reads the lists for a declaration. `own` is its own session. Rejects with McpError. */
  sessionFor(declared: DeclaredExtensions, own: Session): Session | Promise<Session> {
    if (declared === noExtensions || !own.connection?.traits.hasHandshake || this.#isSingle()) return own;
    return this.#declarations.matters(declared) === false ? own : this.#pool.acquire(withDeclared(ownKey, declared));
  }

  /** Records whether the upstream offers something else with a declaration. */
  note(declared: DeclaredExtensions, matters: boolean): void {
    this.#declarations.note(declared, matters);
    if (!matters) this.#pool.retireAt(withDeclared(ownKey, declared).value);
  }
}
