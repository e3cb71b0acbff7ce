// One protocol revision: its traits, and how its messages convert to and from the model. Each folder of this module is one
// revision, and its `revision.ts` collects one object of this shape.
import type { McpError } from "../jsonrpc/error.ts";
import type { JsonObject, JsonRpcNotification } from "../jsonrpc/message.ts";
import type { ClientCapabilities, Implementation, ServerCapabilities } from "../meta/capabilities.ts";
import type { ProgressToken, RequestParams } from "../meta/envelope.ts";
import type { Result } from "../meta/result.ts";
import type { InputRequest, InputRequests } from "../model/input.ts";
import type { DetailedTask, Task } from "../model/tasks.ts";

/** Facts about a revision that code outside of its folder depends on. */
export interface RevisionTraits {
  /** A connection begins with `initialize` and both sides remember the answer. False: each request carries an envelope. */
  readonly hasHandshake: boolean;
  /** In the middle of a call a server sends requests to the client, and keeps the call open until they are answered. */
  readonly hasServerRequests: boolean;
  /** An HTTP body or a stdio line may hold an array of messages. */
  readonly hasBatches: boolean;
  /** The HTTP header `MCP-Protocol-Version` names the revision. */
  readonly hasVersionHeader: boolean;
  /** An event stream begins with an event that has an id and no data, so that a client can resume from the start. */
  readonly hasPrimingEvent: boolean;
  /** A client may add `task` to a tools/call, which then runs as a task. */
  readonly hasTaskAugmentation: boolean;
  /** A server lists `completions` among its capabilities. False: completion/complete needs no capability. */
  readonly declaresCompletions: boolean;
}

/** Client facts that a session remembers and that each request of the model repeats in its envelope. */
export interface SessionEnvelope {
  readonly capabilities: ClientCapabilities;
  readonly clientInfo?: Implementation | undefined;
  readonly logLevel?: string | undefined;
}

/** A request that a server sends to a client, without its id. */
export interface ServerRequest {
  method: string;
  params?: JsonObject;
}

/**
 * `fromClient…` and `toClient…` serve the server edge, whose peer is a client of this revision. `fromServer…` and `toServer…`
 * serve the client edge, whose peer is a server of this revision. No function changes its arguments.
 */
export interface Revision {
  /** The date that names the revision on the wire, for example "2025-11-25". */
  readonly name: string;
  readonly traits: RevisionTraits;

  /** The client capabilities that a client declares. Members that are not objects are dropped. */
  readClientCapabilities(declared: JsonObject): ClientCapabilities;
  /** The server capabilities that a server declares. */
  readServerCapabilities(declared: JsonObject): ServerCapabilities;
  /** The server capabilities to declare to a client. */
  writeServerCapabilities(offered: ServerCapabilities): JsonObject;

  /** The params of a client's request. A revision with a handshake takes the envelope from `session`. */
  fromClientParams(method: string, params: JsonObject | undefined, session: SessionEnvelope): RequestParams;
  /** The params to send to a server; undefined when none are left. `progressToken` replaces the caller's own. */
  toServerParams(method: string, params: RequestParams, progressToken?: ProgressToken): JsonObject | undefined;

  /** The result to send to a client. Revisions with a handshake get complete results only. */
  toClientResult(method: string, result: Result): JsonObject;
  /** A server's result. `serverInfo` is the identity from the handshake. */
  fromServerResult(method: string, result: JsonObject, serverInfo?: Implementation): Result;

  /** The error to send to a client. Returns `error` itself if nothing changes. */
  toClientError(method: string, error: McpError): McpError;
  /** A server's error. `params` are those of the request. Returns `error` itself if nothing changes. */
  fromServerError(method: string, error: McpError, params: JsonObject): McpError;

  /** An elicitation, sampling or roots request, as a request to the client. `elicitationId` identifies a URL elicitation. */
  toClientInputRequest(request: InputRequest, elicitationId: string): ServerRequest;
  /** The client's result of such a request. The asker validates it. */
  fromClientInputResponse(request: InputRequest, response: JsonObject): JsonObject;
  /**
   * A server's elicitation, sampling or roots request; undefined if its params are malformed. `keepsEnumNames` keeps the
   * former spelling of titled choices, for a proxy whose own client uses it.
   */
  fromServerInputRequest(
    method: InputRequest["method"],
    params: JsonObject | undefined,
    capabilities: ClientCapabilities,
    keepsEnumNames?: boolean,
  ): InputRequest | undefined;
  /** The URL elicitations that a server reports as an error; undefined for any other error. */
  urlInputRequestsOf(error: McpError): InputRequests | undefined;

  /** A task to send to a client. */
  toClientTask(task: Task | DetailedTask): JsonObject;
  /** A server's task; undefined if `value` is not a task. */
  fromServerTask(value: unknown): Task | undefined;

  /** A notification that belongs to a client's request. */
  toClientNotification(notification: JsonRpcNotification): JsonRpcNotification;
  /** A notification that a server sends. */
  fromServerNotification(notification: JsonRpcNotification): JsonRpcNotification;
}
