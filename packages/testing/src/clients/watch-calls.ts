// Requests progress and log messages with every call, and records those that arrive.
import {
  isJsonObject,
  type LogMessage,
  type Middleware,
  metaKey,
  method,
  notificationMethod,
  type Progress,
} from "@lethe/protocol";
import type { EventRecorder } from "../events/recorded.ts";

/** A progress notification, and the call that it belongs to. */
export interface CallProgress extends Progress {
  /** The tool, prompt or URI of the call. */
  readonly target: string;
}

/** A log message, and the call that it belongs to. */
export interface CallLog extends LogMessage {
  /** The tool, prompt or URI of the call. */
  readonly target: string;
}

export interface CallRecorders {
  readonly progress: EventRecorder<CallProgress>;
  readonly logs: EventRecorder<CallLog>;
}

const watched: ReadonlySet<string> = new Set([method.callTool, method.readResource, method.getPrompt]);

export function watchCalls({ progress, logs }: CallRecorders): Middleware {
  let count = 0;
  return (next) => (request, exchange) => {
    if (!watched.has(request.method)) return next(request, exchange);
    count += 1;
    const { params } = request;
    const target = String(params.name ?? params.uri);
    const { progressToken = `test-${count}`, [metaKey.logLevel]: logLevel = "debug" } = params._meta;
    const _meta = { ...params._meta, progressToken, [metaKey.logLevel]: logLevel };
    return next(
      { ...request, params: { ...params, _meta } },
      {
        signal: exchange.signal,
        caller: exchange.caller,
        conversation: exchange.conversation,
        notify(notification) {
          const { progressToken: token, _meta: __, ...content } = notification.params ?? {};
          if (!isJsonObject(content)) return exchange.notify(notification);
          if (notification.method === notificationMethod.progress && token === progressToken) {
            progress.add({ ...(content as unknown as Progress), target });
          } else if (notification.method === notificationMethod.message) {
            logs.add({ ...(content as unknown as LogMessage), target });
          }
          return exchange.notify(notification);
        },
        drained: () => exchange.drained(),
      },
    );
  };
}
