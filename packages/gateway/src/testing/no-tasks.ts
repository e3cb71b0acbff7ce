// Task services that fail on use, for tests without tasks.
import type { CallTasks } from "../calls/forwarded-call.ts";
import type { ListenOptions } from "../edge/routing/listen.ts";

export const noCallTasks: CallTasks = {
  covers: () => false,
  isDue: () => false,
  run: () => Promise.reject(new Error("no task was to be made")),
  adopt: () => Promise.reject(new Error("no task was to be adopted")),
};

export const noTasksToFollow: ListenOptions["tasks"] = {
  find: async () => undefined,
  subscriptions: { acquire: async () => undefined, size: 0, close: () => {} },
  isOffered: () => false,
};
