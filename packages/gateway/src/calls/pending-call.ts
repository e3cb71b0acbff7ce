// A pending call as the gateway keeps it. The registry of pending calls is that of the client connections; a retry of the
// caller and an update of its task are two ways back to the same entry.
import { randomBytes } from "node:crypto";
import type { PendingCallHolder, PendingCalls } from "@lethe/client/edge";
import type { InputWait } from "../tracing/input-wait.ts";
import type { Session } from "../upstreams/sessions/session.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import { callIdOf } from "./call-trace.ts";
import type { ForwardedCall } from "./forwarded-call.ts";

/** Keeps the session of a pending call open, and tells operators which call it is. */
export class SessionHold implements PendingCallHolder {
  readonly sessions: UpstreamSessions;
  readonly session: Session;
  /** Names the call to administrators. It gives no access to the call. */
  readonly id: string = randomBytes(6).toString("hex");
  /** Links the rounds of the call. */
  readonly call: string | undefined;
  /** Whether a task of the gateway waits for the answer. */
  readonly isOfTask: boolean;
  /** The first request of the call, and where it went. */
  readonly request: ForwardedCall["request"];
  readonly target: ForwardedCall["target"];
  /** The tool, prompt or resource, as the caller named it. */
  readonly name: string;
  /** ms since 1970 */
  readonly since: number = Date.now();

  readonly #wait: InputWait | undefined;

  constructor(
    { request, target, task }: Pick<ForwardedCall, "request" | "target" | "task">,
    session: Session,
    wait?: InputWait,
  ) {
    this.#wait = wait;
    this.sessions = target.sessions;
    this.session = session;
    this.call = callIdOf(request);
    this.isOfTask = task !== undefined;
    this.request = request;
    this.target = target;
    this.name = String(request.params.name ?? request.params.uri ?? "");
    this.sessions.enter(session);
  }

  /** The running round brings the answers. */
  answered(): void {
    this.#wait?.answered();
  }

  release(): void {
    this.#wait?.end();
    this.sessions.leave(this.session);
  }
}

/** One registry for the connections to all upstreams. */
export type GatewayPendingCalls = PendingCalls<SessionHold>;

/** Where a retry finds its pending call. */
export interface PendingCallReference {
  /** The replica of the gateway that owns the connection. */
  readonly replica: string;
  /** The id of the session. */
  readonly session: string;
  /** The id of the call in the registry of that replica. */
  readonly id: string;
}
