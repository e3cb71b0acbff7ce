// One request of a caller on its way through the gateway.
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

/** Where a request leads. */
export interface UpstreamTarget {
  readonly sessions: UpstreamSessions;
  /** In place of the params of the same names: what the upstream calls it. */
  readonly params?: JsonObject;
  /** The tool says that it may run twice, and the operator believes it. */
  readonly isRepeatable?: boolean;
  /** The tool says that it may run twice: it only reads, or is idempotent. */
  readonly isIdempotent?: boolean;
  /** The upstream, of 2025-11-25, makes core tasks of the tool (D-38). */
  readonly taskSupport?: TaskSupport | undefined;
  /** The tool has an argument for the handle of its session. */
  readonly hasSessionArgument?: boolean;
  /** Who answers, to the caller. Default: the gateway. */
  readonly serverInfo?: Implementation;
}

export interface ForwardedCall {
  readonly target: UpstreamTarget;
  readonly request: ModernRequest;
  readonly exchange: Exchange;
  /** The references of its result stay the upstream's own for now. */
  readonly isPublishedLater?: boolean;
  /** Of a call that the gateway may make a task of, or has. */
  readonly task?: CallTask;
}

/** The same object where nothing changes. */
export function withSessions(call: ForwardedCall, sessions: UpstreamSessions): ForwardedCall {
  return sessions === call.target.sessions ? call : { ...call, target: { ...call.target, sessions } };
}

export interface CallTask {
  /** Takes what the next round goes on with. False when the caller still waits for the answer to the request. */
  keep(state: RequestState): Promise<boolean>;
}

/** What becomes of calls that outlive their requests. */
export interface CallTasks {
  /** Whether the gateway makes a task of this call when it lasts long. */
  covers(call: ForwardedCall, session: Session): boolean;
  /** Whether the caller has to get a task, but the upstream decides by itself whether it makes one. */
  isDue(call: ForwardedCall, session: Session): boolean;
  /** The result, or a task under a public id. `attempt` is called once, with the call as it is to be made. */
  run(call: ForwardedCall, session: Session, attempt: (call: ForwardedCall) => Promise<Result>): Promise<Result>;
  /** An upstream's own task, under a public id. */
  adopt(call: ForwardedCall, session: Session, task: CreateTaskResult): Promise<Result>;
}
