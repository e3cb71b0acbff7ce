// A real HAProxy with the configuration that the documentation of the tested clone recommends. It checks the replicas by itself.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toLocalHaproxy } from "./haproxy-configuration.ts";
import { type BalancerPlan, readDocuments } from "./nginx.ts";
import { untilListening } from "./ports.ts";
import type { ProcessSet, Started } from "./process-set.ts";

/** Returns a function that starts HAProxy. */
export function prepareHaproxy(processes: ProcessSet, plan: BalancerPlan): () => Promise<Started> {
  const { clone, port, replicas } = plan;
  const folder = join(plan.folder, "haproxy");
  mkdirSync(folder, { recursive: true });
  const configuration = toLocalHaproxy(readDocuments(clone), port, replicas);
  if (configuration === undefined) throw new Error(`found no HAProxy configuration in the documents of ${clone}`);
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, configuration);
  return async () => {
    const haproxy = processes.start("haproxy", "haproxy", ["-db", "-f", file]);
    await untilListening(port);
    return haproxy;
  };
}
