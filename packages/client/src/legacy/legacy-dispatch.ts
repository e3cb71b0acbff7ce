// The Dispatch of a legacy connection: selects what answers a modern request.
import {
  type DiscoverResult,
  type Dispatch,
  type Exchange,
  isLogLevel,
  type ModernRequest,
  metaKey,
  method,
  type Result,
} from "@lethe/protocol";
import type { Calls } from "./calls.ts";
import { requireOffered } from "./handshake.ts";
import type { SessionLogLevel } from "./log-level.ts";
import type { Session } from "./session.ts";
import type { Subscriptions } from "./subscriptions.ts";
import type { TaskAugmentation } from "./task-augmentation.ts";
import type { ToolFacts } from "./tool-facts.ts";

export interface LegacyDispatchContext {
  readonly session: Session;
  readonly server: DiscoverResult;
  readonly calls: Calls;
  readonly tasks: TaskAugmentation;
  readonly subscriptions: Subscriptions;
  readonly tools: ToolFacts;
  readonly logLevel: SessionLogLevel;
  /** Sends a notification of an extension. */
  notify(request: ModernRequest): Promise<void>;
}

export function createLegacyDispatch(context: LegacyDispatchContext): Dispatch {
  const { session, server, calls, tasks, subscriptions, tools, logLevel } = context;

  async function serve(request: ModernRequest, exchange: Exchange): Promise<Result> {
    if (request.method === method.discover) return server;
    if (session.isLost) await session.ensure();
    if (request.isNotification) return context.notify(request).then(() => ({ resultType: "complete" }));
    if (request.method === method.listen) return subscriptions.listen(request, exchange);
    if (tasks.isServed(request.method)) return tasks.answer(request, exchange);
    requireOffered(request.method, session.handshake);
    const level = request.params._meta[metaKey.logLevel];
    if (isLogLevel(level) && session.handshake.capabilities.logging) await logLevel.require(level);
    if (request.method === method.callTool) return tasks.call(request, exchange);
    const result = await calls.run(request, exchange);
    if (request.method === method.listTools) tools.learn(result);
    return result;
  }

  /** Most calls have nothing to wait for here, so they create no promise. */
  return (request, exchange) => {
    if (request.method !== method.callTool || session.isLost) return serve(request, exchange);
    if (request.params._meta[metaKey.logLevel] !== undefined) return serve(request, exchange);
    try {
      requireOffered(request.method, session.handshake);
      return tasks.call(request, exchange);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}
