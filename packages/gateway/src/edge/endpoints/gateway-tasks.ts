// All that a gateway has for tasks, one of each for all endpoints.
import { createSeal, type KeyRing } from "@lethe/server";
import { createCallTasks } from "../../calls/call-tasks.ts";
import type { CallTasks } from "../../calls/forwarded-call.ts";
import { createOwnTasks, type OwnTasks, type OwnTasksOptions } from "../../calls/gateway-tasks.ts";
import { createTaskIds, maxTaskIdBytes, type TaskIds, taskIdTtlMs } from "../../calls/task-ids.ts";
import { createTaskWatches, type TaskWatches, type TaskWatchOptions } from "../../subscriptions/task-subscriptions.ts";
import { gatewayInfo } from "../../upstreams/connection/own-request.ts";
import type { Directory } from "../../upstreams/directory/directory.ts";

export interface GatewayTasks extends CallTasks {
  readonly ids: TaskIds;
  readonly own: OwnTasks;
  readonly watches: TaskWatches;
  /** Ends what runs. */
  close(): Promise<void>;
}

export interface GatewayTasksOptions extends OwnTasksOptions, TaskWatchOptions {
  readonly ring: KeyRing;
  readonly directory: Directory;
}

export function createGatewayTasks(options: GatewayTasksOptions): GatewayTasks {
  const { ring, directory } = options;
  const sealOptions = { server: gatewayInfo.name, ttlMs: taskIdTtlMs, maxBytes: maxTaskIdBytes };
  const ids = createTaskIds(createSeal(ring, sealOptions));
  const own = createOwnTasks(options);
  const watches = createTaskWatches(own, options);
  return {
    ...createCallTasks({ ids, own, directory }),
    ids,
    own,
    watches,
    close() {
      watches.close();
      return own.close();
    },
  };
}
