// Assembles a client: the envelope, the cache, the middleware and the subscriptions around one connection.
import {
  type ClientCapabilities,
  checkOptions,
  type Implementation,
  type JsonObject,
  type JsonRpcNotification,
  type LogMessage,
  modelRevision,
  notificationMethod,
  type Progress,
  type ProgressToken,
  type Result,
  type Tool,
  tasksExtension,
  withMiddleware,
  withTaskAugmentation,
} from "@lethe/protocol";
import { type CacheTopic, createResponseCache } from "../cache/response-cache.ts";
import { withCache } from "../cache/with-cache.ts";
import { createRequestBuilder, type RequestExtras } from "../call/build-request.ts";
import type { Connection } from "../call/connection.ts";
import { createExchange } from "../call/exchange.ts";
import { capabilitiesOf, type Handlers } from "../interaction/handlers.ts";
import type { RoundLimits } from "../interaction/run-rounds.ts";
import type { Change } from "../subscriptions/change.ts";
import { MergedSubscriptions } from "../subscriptions/merged-subscriptions.ts";
import { createTasks, type Tasks } from "../tasks/create-tasks.ts";
import { defaultClientInfo } from "./client-info.ts";
import { type CallOptions, type ClientOptions, knownSendOptions, type SendOptions } from "./client-options.ts";
import { ExtensionApis, toExtensionListener, toExtensionMiddleware } from "./extension-apis.ts";
import { listKinds } from "./list-kinds.ts";
import { createOutputChecks, type OutputChecks } from "./output-checks.ts";
import { readList } from "./read-list.ts";

export interface ClientParts {
  readonly connection: Connection;
  /** The server's name in errors and in dialogs: its URL or command. */
  readonly serverName: string;
  readonly capabilities: ClientCapabilities;
  readonly handlers: Handlers;
  readonly rounds: RoundLimits;
  readonly subscriptions: MergedSubscriptions;
  readonly tasks: Tasks;
  readonly apis: ExtensionApis;
  /** Present only if the host configured a validator. */
  readonly outputs: OutputChecks | undefined;
  /** Takes ownership of `params`. */
  send(method: string, params: JsonObject, options?: SendOptions): Promise<Result>;
  /** Makes cached results of a topic stale. */
  invalidate(topic: CacheTopic, uri?: string): void;
}

export interface ServerNames {
  /** In errors and in dialogs. */
  readonly serverName: string;
  /** The server's key in a shared cache: the whole address, including secrets. Default: the name. */
  readonly address?: string;
}

export function createParts(connection: Connection, names: ServerNames, options: ClientOptions): ClientParts {
  const { serverName, address = serverName } = names;
  const { onWarning = console.warn, rounds = {}, extensions = [] } = options;
  const capabilities = declaredCapabilities(options);
  const { build } = createRequestBuilder({ ...toClientInfo(options), capabilities, revision: revisionOf(connection) });
  const cache = options.cache === false ? undefined : (options.cache ?? createResponseCache());
  // Not randomUUID: browsers offer it on secure pages only.
  const own = crypto.getRandomValues(new Uint32Array(4)).join("-");
  const partition = options.cachePartition ?? own;
  // The client's handlers answer for its only user. In a manual call, the answering user is unknown.
  const conversation = own;
  const onExtension = toExtensionListener(extensions, onWarning);
  /** Limits of a request that sets none. */
  const plainExchange = createExchange({ conversation, onNotification: onExtension });
  const caching = cache ? [withCache(cache, { server: address, partition })] : [];
  const dispatch = withMiddleware(connection.dispatch, [
    ...(options.middleware ?? []),
    ...toExtensionMiddleware(extensions),
    ...caching,
  ]);
  let lastToken = 0;

  function send(method: string, params: JsonObject, call?: SendOptions): Promise<Result> {
    if (call === undefined) return dispatch(build(method, params), plainExchange);
    checkOptions(method, call, knownSendOptions);
    if (call.meta) params._meta = { ...(params._meta as JsonObject | undefined), ...call.meta };
    const extras: RequestExtras = {};
    if (call.trace) extras.trace = call.trace;
    if (call.onLog) extras.logLevel = call.logLevel ?? "info";
    if (call.onProgress) {
      lastToken += 1;
      extras.progressToken = lastToken;
    }
    const { signal } = call;
    const onNotification = both(toListener(call, extras.progressToken, onWarning), onExtension);
    const request = build(method, params, extras);
    const wished = call.task ? withTaskAugmentation(request, call.task === true ? {} : call.task) : request;
    return dispatch(
      wished,
      createExchange({
        ...{ signal, limits: call, onNotification },
        conversation: call.manual ? undefined : conversation,
      }),
    );
  }

  function invalidate(topic: CacheTopic, uri?: string): void {
    cache?.invalidate(address, topic, uri);
    if (topic === "tools") outputs?.forget();
  }

  function readTools(isFresh: boolean): AsyncIterable<Tool> {
    if (isFresh) cache?.invalidate(address, "tools");
    return readList({ send, invalidate, serverName }, listKinds.tools);
  }

  const { createValidator } = options;
  const outputs = createValidator && createOutputChecks({ createValidator, serverName, readTools, onWarning });

  const subscriptions = new MergedSubscriptions({
    ...options.subscriptions,
    dispatch: connection.dispatch,
    build,
    onWarning,
    onChange: (change) => invalidateBy(change, invalidate),
  });
  const settings = typeof options.tasks === "object" ? options.tasks : {};
  const tasks = createTasks({ serverName, handlers: options, subscriptions, settings, send, onWarning });
  const apis = new ExtensionApis(extensions, onWarning);
  const made = { connection, serverName, capabilities, subscriptions, tasks, outputs, apis };
  return { ...made, handlers: options, rounds, send, invalidate };
}

/**
 * The capabilities that a client with these options declares: those that its handlers imply, configured additions, and tasks unless
 * disabled. For a connection that is opened before its client is created.
 *
 * @example
 * import { declaredCapabilities } from "@lethe/client/edge";
 *
 * console.log(declaredCapabilities({ roots: [], tasks: false })); // { roots: {} }
 */
export function declaredCapabilities(options: ClientOptions): ClientCapabilities {
  const { capabilities = {}, tasks = true, extensions = [] } = options;
  const declared = Object.fromEntries(extensions.map(({ id, settings = {} }) => [id, settings]));
  const all = { ...capabilities.extensions, ...declared, ...(tasks !== false && { [tasksExtension]: {} }) };
  return capabilitiesOf(options, Object.keys(all).length > 0 ? { ...capabilities, extensions: all } : capabilities);
}

/** Requests are modern on this side, for peers of any revision. */
function revisionOf({ traits, revision }: Connection): string {
  return traits.hasHandshake ? modelRevision : revision;
}

/** Empty for an anonymous client. */
export function toClientInfo({ info = defaultClientInfo }: ClientOptions): { clientInfo?: Implementation } {
  return info === false ? {} : { clientInfo: info };
}

// E-55
function invalidateBy(change: Change, invalidate: ClientParts["invalidate"]): void {
  if (change.kind === "resource") invalidate("contents", change.uri);
  else if (change.kind !== "task") invalidate(change.kind);
}

type OnNotification = ((notification: JsonRpcNotification) => void) | undefined;

function both(first: OnNotification, second: OnNotification): OnNotification {
  if (!first || !second) return first ?? second;
  return (notification) => {
    first(notification);
    second(notification);
  };
}

function toListener(
  { onProgress, onLog }: CallOptions,
  token: ProgressToken | undefined,
  onWarning: (message: string) => void,
): ((notification: JsonRpcNotification) => void) | undefined {
  if (!onProgress && !onLog) return undefined;
  return ({ method, params = {} }) => {
    try {
      if (method === notificationMethod.progress) {
        const { progressToken, _meta, ...progress } = params;
        if (progressToken === token) onProgress?.(progress as unknown as Progress);
      } else if (method === notificationMethod.message) onLog?.(params as unknown as LogMessage);
    } catch (error) {
      onWarning(`a listener failed at ${method}: ${String(error)}`);
    }
  };
}
