// The task services that all endpoints of a gateway share.
import { createSeal } from "@lethe/server/edge";
import type { Directory, KeyRing } from "@lethe/server/stores";
import { createCallTasks } from "../../calls/call-tasks.ts";
import type { CallTasks } from "../../calls/forwarded-call.ts";
import { createGatewayTasks, type GatewayTasks, type GatewayTasksOptions } from "../../calls/gateway-tasks.ts";
import { createTaskIds, maxTaskIdBytes, type TaskIds, taskIdTtlMs } from "../../calls/task-ids.ts";
import {
  createTaskSubscriptions,
  type TaskSubscriptionOptions,
  type TaskSubscriptions,
} from "../../subscriptions/task-subscriptions.ts";
import { gatewayInfo } from "../../upstreams/connection/own-request.ts";

export interface Tasks extends CallTasks {
  readonly ids: TaskIds;
  readonly own: GatewayTasks;
  readonly subscriptions: TaskSubscriptions;
  /** Ends running tasks. */
  close(): Promise<void>;
}

export interface TasksParts extends Omit<GatewayTasksOptions, "self">, TaskSubscriptionOptions {
  readonly ring: KeyRing;
  readonly directory: Directory;
}

export function createTasks(options: TasksParts): Tasks {
  const { ring, directory } = options;
  const sealOptions = { server: gatewayInfo.name, ttlMs: taskIdTtlMs, maxBytes: maxTaskIdBytes };
  const ids = createTaskIds(createSeal(ring, sealOptions));
  const own = createGatewayTasks({ ...options, self: directory.self });
  const subscriptions = createTaskSubscriptions(own, options);
  return {
    ...createCallTasks({ ids, own, directory }),
    ids,
    own,
    subscriptions,
    close() {
      subscriptions.close();
      return own.close();
    },
  };
}
