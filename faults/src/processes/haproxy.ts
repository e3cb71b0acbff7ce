// A real HAProxy with the configuration that the documentation of the tested clone recommends. It checks the replicas by itself.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toLocalConfiguration } from "./documented-configuration.ts";
import { type BalancerPlan, readDocuments } from "./nginx.ts";
import { untilListening } from "./ports.ts";
import type { ProcessSet, Started } from "./process-set.ts";

/** Returns a function that starts HAProxy. */
export function prepareHaproxy(processes: ProcessSet, plan: BalancerPlan): () => Promise<Started> {
  const { clone, port } = plan;
  const folder = join(plan.folder, "haproxy");
  mkdirSync(folder, { recursive: true });
  const configuration = toLocalConfiguration(readDocuments(clone), "haproxy", plan);
  if (configuration === undefined) throw new Error(`found no HAProxy configuration in the documents of ${clone}`);
  const file = join(folder, "haproxy.cfg");
  // HAProxy requires a line break at the end.
  writeFileSync(file, `${configuration.trimEnd()}\n`);
  return async () => {
    const haproxy = processes.start("haproxy", "haproxy", ["-db", "-f", file]);
    await untilListening(port, haproxy);
    return haproxy;
  };
}
