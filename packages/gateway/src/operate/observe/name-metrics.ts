// The metrics of tools and callers. Their names are bounded in number, because metrics keep every name that they have seen.
import { method } from "@lethe/protocol";
import type { Registry } from "prom-client";
import type { RequestRecord } from "../../edge/request-record.ts";
import { createBoundedLabel } from "./bounded-label.ts";
import { createCounter } from "./labelled-metrics.ts";

export interface NameMetrics {
  observe(record: RequestRecord): void;
}

/** Further tools count as "other". */
const maxMeasuredTools = 1_000;
/** Further callers count as "other". */
const maxMeasuredCallers = 200;

export function createNameMetrics(registry: Registry): NameMetrics {
  const toTool = createBoundedLabel(maxMeasuredTools);
  const toCaller = createBoundedLabel(maxMeasuredCallers);
  const countCall = createCounter(registry, {
    name: "lethe_tool_calls_total",
    help: "Calls of tools that are done, by how they ended",
    labelNames: ["upstream", "tool", "outcome"],
  });
  const addSeconds = createCounter(registry, {
    name: "lethe_tool_seconds_total",
    help: "How long calls of tools took together",
    labelNames: ["upstream", "tool"],
  });
  const countCaller = createCounter(registry, {
    name: "lethe_caller_requests_total",
    help: "Requests of authenticated callers that are done, by how they ended",
    labelNames: ["caller", "outcome"],
  });
  return {
    observe({ method: requested, name, upstream = "", caller, outcome, ms }) {
      // A caller can invent the name of a tool, but not its result.
      const isTrusted = outcome === "complete" || outcome === "task" || outcome === "input_required";
      if (requested === method.callTool) {
        const tool = toTool(name, isTrusted);
        countCall([upstream, tool, outcome]);
        addSeconds([upstream, tool], ms / 1_000);
      }
      if (caller !== undefined) countCaller([toCaller(caller, true), outcome]);
    },
  };
}
