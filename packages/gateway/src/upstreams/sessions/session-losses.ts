// The sessions of one upstream that lost their state: decides whether there was state to lose, and keeps the cause until the caller
// learns of it. Asked before every call, so nothing is allocated while nothing is lost.
import type { Verdict } from "../verdict/verdict.ts";
import type { LossCause, LostSessions } from "./lost-sessions.ts";
import type { Session, SessionKey } from "./session.ts";
import { isLeased } from "./session-leases.ts";

const inherited: LossCause = "replica_lost";

export interface SessionLossesOptions {
  readonly upstream: string;
  /** Names the upstream in the directory. */
  readonly directoryName: string;
  readonly lost: LostSessions;
  verdict(): Verdict | undefined;
}

export class SessionLosses {
  readonly #upstream: string;
  readonly #prefix: string;
  readonly #lost: LostSessions;
  readonly #verdict: () => Verdict | undefined;

  constructor({ upstream, directoryName, lost, verdict }: SessionLossesOptions) {
    this.#upstream = upstream;
    this.#prefix = `${directoryName} `;
    this.#lost = lost;
    this.#verdict = verdict;
  }

  /** Why the state that the caller had is lost. Undefined if it is not, or if the caller has been told. */
  of(session: Session): LossCause | undefined {
    if (session.connection?.lostSessions !== session.knownLosses) this.#noteForgotten(session);
    return session.loss;
  }

  /** Whether the loss of this session would matter to its caller. */
  hasState({ key, hasServed }: Session): boolean {
    return hasServed && this.isStateOfCaller(key);
  }

  /** Whether the caller must be told when this session ends. */
  isWorthTelling(session: Session): boolean {
    return session.loss !== undefined || this.hasState(session);
  }

  /** Whether sessions with this key keep state for one caller. A handle is refused once its session has ended. */
  isStateOfCaller(key: SessionKey): boolean {
    return mayHaveState(key) && this.#verdict()?.sharing === "session";
  }

  /** New requests with this key get another session. */
  record(session: Session, cause: LossCause): void {
    if (session.loss !== undefined) this.#lost.add(this.#nameOf(session.key), session.loss);
    else if (this.hasState(session)) {
      this.#lost.add(this.#nameOf(session.key), cause);
      this.#lost.count(this.#upstream, cause);
    }
  }

  /** This replica took over the key of a lost one. The directory says so once, but the new session may fail to open at first. */
  inherit(key: SessionKey): void {
    if (mayHaveState(key)) this.#lost.add(this.#nameOf(key), inherited);
  }

  /** The session takes the place of a lost one, if there was one. */
  succeed(session: Session): void {
    const loss = this.#lost.size > 0 ? this.#lost.take(this.#nameOf(session.key)) : undefined;
    // Whether sessions keep state may not be known before the first one is open.
    if (loss === undefined || (loss === inherited && !this.isStateOfCaller(session.key))) return;
    session.loss = loss;
    // The other causes were counted when they occurred.
    if (loss === inherited) this.#lost.count(this.#upstream, loss);
  }

  /** How many sessions lost their state since the start, by cause. */
  get counts(): Readonly<Partial<Record<LossCause, number>>> {
    return this.#lost.countsOf(this.#upstream);
  }

  /** Whether the caller of a session that has ended must still be told. */
  isUntold(key: SessionKey): boolean {
    return this.#lost.size > 0 && this.#lost.has(this.#nameOf(key));
  }

  /** Another replica owns the session now, and tells the caller. */
  drop(keyValue: string): void {
    this.#lost.take(this.#prefix + keyValue);
  }

  #noteForgotten(session: Session): void {
    session.knownLosses = session.connection?.lostSessions;
    if (session.loss === undefined && this.hasState(session)) {
      session.loss = "session_ended";
      this.#lost.count(this.#upstream, session.loss);
    }
    session.hasServed = false;
  }

  #nameOf({ value }: SessionKey): string {
    return this.#prefix + value;
  }
}

function mayHaveState(key: SessionKey): boolean {
  return key.callerId !== undefined && key.handle === undefined && isLeased(key);
}
