// GET /admin/v1/sessions, /pending-calls and /tasks, and what an operator can do with them.
import type { InputRequestView, PendingCallView, TaskView } from "../../observe/gateway-view.ts";
import { type FleetAnswer, fleetMembers } from "./fleet.ts";
import {
  component,
  type Described,
  flag,
  integer,
  json,
  list,
  type Members,
  object,
  oneOf,
  optional,
  record,
  text,
  time,
} from "./schema.ts";
import { type FleetSession, session } from "./upstreams.ts";

export interface SessionsAnswer extends FleetAnswer {
  readonly sessions: readonly FleetSession[];
}

export const sessionsAnswer: Described<SessionsAnswer> = component(
  "SessionsAnswer",
  object<SessionsAnswer>({
    ...fleetMembers,
    sessions: list(session),
  }),
);

export interface FleetPendingCall extends PendingCallView {
  readonly replica: string;
}

export interface PendingCallsAnswer extends FleetAnswer {
  readonly pendingCalls: readonly FleetPendingCall[];
}

const inputRequests: Described<Readonly<Record<string, InputRequestView>>> = record(
  component(
    "InputRequest",
    object<InputRequestView>({
      method: text(),
      params: optional(json("Masked. Of an elicitation: `message` and `requestedSchema`")),
    }),
  ),
  "By key, as an answer names them",
);

const pendingCall: Described<FleetPendingCall> = component(
  "PendingCall",
  object<FleetPendingCall>({
    id: text("Names the call in the administration. It gives no access to the call"),
    call: optional(text("As in Exchange")),
    replica: text("The replica that owns it"),
    upstream: text(),
    session: text("As in Session"),
    caller: optional(text()),
    method: text(),
    name: text("The tool, prompt or resource, as the caller named it"),
    asks: list(text(), "The methods of its input requests"),
    inputRequests,
    since: time(),
    expires: time(),
  }),
);

export const pendingCallsAnswer: Described<PendingCallsAnswer> = component(
  "PendingCallsAnswer",
  object<PendingCallsAnswer>({ ...fleetMembers, pendingCalls: list(pendingCall) }),
);

/** The body of POST …/answer. */
export interface AnswerBody {
  /** The answers by the key of their input request, as a caller sends them in `inputResponses`. */
  readonly responses: Readonly<Record<string, unknown>>;
}

export const answerBody: Described<AnswerBody> = component(
  "AnswerBody",
  object<AnswerBody>({
    responses: record(json(), "By the key of the input request, as a caller sends them in `inputResponses`"),
  }),
);

export interface FleetTask extends TaskView {
  readonly replica: string;
}

export interface TasksAnswer extends FleetAnswer {
  readonly tasks: readonly FleetTask[];
}

const taskMembers: Members<FleetTask> = {
  id: text("Names the task in the administration. It gives no access to the task"),
  replica: text("The replica that runs it"),
  upstream: text(),
  tool: text("The upstream's own name of the tool"),
  caller: optional(text()),
  status: oneOf(["working", "input_required", "completed", "failed", "cancelled"]),
  statusMessage: optional(text("The last progress of the call")),
  since: time(),
  updated: time(),
  expires: time(),
  inputRequests: optional(inputRequests),
};

export const tasksAnswer: Described<TasksAnswer> = component(
  "TasksAnswer",
  object<TasksAnswer>({ ...fleetMembers, tasks: list(component("Task", object<FleetTask>(taskMembers))) }),
);

/** What happened to a task. */
export interface TaskEvent {
  readonly time: string;
  readonly status: string;
  readonly message?: string;
}

export interface TaskDetail extends FleetTask {
  /** The oldest first. */
  readonly timeline: readonly TaskEvent[];
  /** The number of earlier events that are no longer kept. */
  readonly timelineOmitted: number;
}

export const taskDetail: Described<TaskDetail> = component(
  "TaskDetail",
  object<TaskDetail>({
    ...taskMembers,
    timeline: list(
      component("TaskEvent", object<TaskEvent>({ time: time(), status: text(), message: optional(text()) })),
      "The oldest first",
    ),
    timelineOmitted: integer("Earlier events that are no longer kept"),
  }),
);

/** The outcome of an action. */
export interface Done {
  readonly isDone: boolean;
  /** What happened, or why nothing did. */
  readonly message: string;
}

export const done: Described<Done> = component("Done", object<Done>({ isDone: flag(), message: text() }));
