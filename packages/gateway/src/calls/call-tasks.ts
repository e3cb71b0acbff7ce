// Decides which calls become tasks. An upstream with tasks makes its own. For an upstream without tasks the gateway makes them,
// if its operator enabled that.
import type { Connection } from "@lethe/client";
import {
  type CreateTaskResult,
  clientCapabilitiesOf,
  declaresTasks,
  isTask,
  isTaskResult,
  metaKey,
  method,
  type Result,
  taskAugmentationOf,
} from "@lethe/protocol";
import type { Directory } from "@lethe/server/stores";
import { gatewayInfo } from "../upstreams/connection/own-request.ts";
import { upstreamError } from "../upstreams/connection/upstream-error.ts";
import { toBase } from "./caller-task.ts";
import type { CallTasks, ForwardedCall } from "./forwarded-call.ts";
import type { GatewayTasks } from "./gateway-tasks.ts";
import type { TaskIds, TaskLocation } from "./task-ids.ts";

export interface CallTasksOptions {
  readonly ids: TaskIds;
  readonly own: GatewayTasks;
  readonly directory: Directory;
}

export function createCallTasks({ ids, own, directory }: CallTasksOptions): CallTasks {
  async function publish(
    result: CreateTaskResult,
    { target, exchange }: ForwardedCall,
    more: Partial<TaskLocation>,
  ): Promise<Result> {
    const { name: upstream } = target.sessions;
    const tool = String(target.params?.name);
    try {
      const taskId = await ids.mint({ upstream, id: result.taskId, tool, ...more }, exchange.caller);
      const _meta = { [metaKey.serverInfo]: target.serverInfo ?? gatewayInfo };
      return { resultType: "task", ...toBase(result, taskId), _meta };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw upstreamError(upstream, "invalid", "gave a task an id that is too long");
    }
  }

  return {
    covers({ target, request, task }, session) {
      const { sessions, taskSupport } = target;
      // The upstream makes the task itself.
      if (taskSupport === "required") return false;
      if (task || request.method !== method.callTool || sessions.config.tasks !== "auto") return false;
      return declaresTasks(clientCapabilitiesOf(request)) && !hasTasks(session.connection ?? sessions.connection);
    },
    isDue({ target, request, task }, session) {
      if (task || !taskAugmentationOf(request) || session.key.isSingleUse) return false;
      const connection = session.connection ?? target.sessions.connection;
      return hasTasks(connection) && !connection?.traits.hasTaskAugmentation;
    },
    async run(call, session, attempt): Promise<Result> {
      const result = await own.run(call, session, attempt);
      if (!isTaskResult(result)) return result;
      const { createdAt, ttlMs } = result;
      const expires = typeof ttlMs === "number" && { expiresAt: Date.parse(createdAt) + ttlMs };
      return publish(result, call, { isOwn: true, replica: directory.self, ...expires });
    },
    adopt(call, session, result): Promise<Result> {
      const { sessions } = call.target;
      if (!isTask(result)) throw upstreamError(sessions.name, "invalid", "gave an answer that is no task");
      const { handle } = session.key;
      // A process or a session belongs to this replica, and so do its tasks.
      const isHere = sessions.config.kind === "stdio" || session.connection?.isStateful;
      return publish(result, call, {
        ...(isHere && { replica: directory.self }),
        ...(sessions.isLegacyEra && { era: "legacy" as const }),
        ...(handle !== undefined && { handle }),
      });
    },
  };
}

function hasTasks(connection: Connection | undefined): boolean {
  return connection !== undefined && declaresTasks(connection.server.capabilities);
}
