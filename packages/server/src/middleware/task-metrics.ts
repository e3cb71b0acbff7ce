// Metrics of tasks (section H), through @opentelemetry/api.
import { checkOptions } from "@lethe/protocol";
import type { TaskMeter } from "../tasks/task-meter.ts";
import type { TaskStore } from "../tasks/task-store.ts";
import { knownTelemetryOptions, type TelemetryOptions } from "./telemetry.ts";

const scope = "@lethe/server";
/** How often the counts of the store are read, in ms. */
const countEveryMs = 10_000;

/**
 * Creates the option `tasks.meter` of a server: records how many tasks run, wait, fail over and fail. Without a registered provider
 * the API does nothing.
 *
 * @example
 * import * as api from "@opentelemetry/api";
 * import { createServer } from "@lethe/server";
 * import { taskMetrics } from "@lethe/server/middleware";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" }, { tasks: { meter: taskMetrics({ api }) } });
 * await server.close();
 */
export function taskMetrics(options: TelemetryOptions): TaskMeter {
  checkOptions("taskMetrics", options, knownTelemetryOptions);
  const { api } = options;
  const meter = api.metrics.getMeter(scope);
  const running = meter.createUpDownCounter("mcp.server.tasks.running", {
    description: "tasks that this process runs",
    unit: "{task}",
  });
  const waiting = meter.createGauge("mcp.server.tasks.waiting", {
    description: "tasks of the store that wait for a process",
    unit: "{task}",
  });
  const oldest = meter.createGauge("mcp.server.tasks.oldest_waiting", {
    description: "how long the oldest waiting task has been waiting",
    unit: "s",
  });
  const failedOver = meter.createCounter("mcp.server.tasks.failed_over", {
    description: "tasks that this process continued after another one was lost",
    unit: "{task}",
  });
  const failed = meter.createCounter("mcp.server.tasks.failed", {
    description: "tasks that failed, by reason",
    unit: "{task}",
  });
  let countedAt = Number.NEGATIVE_INFINITY;
  return {
    running: (step) => running.add(step, {}),
    failedOver: () => failedOver.add(1, {}),
    failed: (reason) => failed.add(1, { reason }),
    async observe(store: TaskStore) {
      const now = performance.now();
      if (now - countedAt < countEveryMs) return;
      countedAt = now;
      const counts = await store.counts();
      waiting.record(counts.waiting, {});
      oldest.record(counts.oldestWaitingMs / 1_000, {});
    },
  };
}
