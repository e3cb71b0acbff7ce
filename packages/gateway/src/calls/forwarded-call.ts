// A request of a caller that the gateway forwards to an upstream.
import type {
  CreateTaskResult,
  Exchange,
  Implementation,
  JsonObject,
  ModernRequest,
  Result,
  TaskSupport,
} from "@lethe/protocol";
import type { Session } from "../upstreams/sessions/session.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import type { RequestState } from "./request-state.ts";

/** The upstream and the name that a request is forwarded to. */
export interface UpstreamTarget {
  readonly sessions: UpstreamSessions;
  /** Replaces the params of the same names: the upstream's own name or URI. */
  readonly params?: JsonObject;
  /** The tool declares that it may run twice, and the operator trusts it. */
  readonly isRepeatable?: boolean;
  /** The tool declares that it may run twice: it is read-only or idempotent. */
  readonly isIdempotent?: boolean;
  /** Whether an upstream of revision 2025-11-25 runs the tool as a task. */
  readonly taskSupport?: TaskSupport | undefined;
  /** The tool has an argument for the session handle. */
  readonly hasSessionArgument?: boolean;
  /** The revision of a message that is relayed without being understood. Default: that of the connection. */
  readonly revision?: string;
  /** The server that the caller sees. Default: the gateway. */
  readonly serverInfo?: Implementation;
}

export interface ForwardedCall {
  readonly target: UpstreamTarget;
  readonly request: ModernRequest;
  readonly exchange: Exchange;
  /** References in the result stay those of the upstream until the task is read. */
  readonly isPublishedLater?: boolean;
  /** Set when the gateway runs the call as a task, or may do so. */
  readonly task?: CallTask;
}

/** Returns `call` itself when its sessions do not change. */
export function withSessions(call: ForwardedCall, sessions: UpstreamSessions): ForwardedCall {
  return sessions === call.target.sessions ? call : { ...call, target: { ...call.target, sessions } };
}

export interface CallTask {
  /** Stores the state of the next round. Returns false when the caller still waits for the response to its request. */
  keep(state: RequestState): Promise<boolean>;
}

/** Decides which calls become tasks, and runs them. */
export interface CallTasks {
  /** Whether the gateway makes a task of this call when it takes long. */
  covers(call: ForwardedCall, session: Session): boolean;
  /** Whether the caller must get a task although the upstream decides by itself whether it makes one. */
  isDue(call: ForwardedCall, session: Session): boolean;
  /** Returns the result, or a task under a public id. Calls `attempt` once, with the call to send. */
  run(call: ForwardedCall, session: Session, attempt: (call: ForwardedCall) => Promise<Result>): Promise<Result>;
  /** Gives a task of the upstream a public id. */
  adopt(call: ForwardedCall, session: Session, task: CreateTaskResult): Promise<Result>;
}
