// A real nginx with the configuration that the documentation of the tested clone recommends.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chooseBlock, toConfiguration, withPorts } from "./nginx-configuration.ts";
import { untilListening } from "./ports.ts";
import type { ProcessSet, Started } from "./process-set.ts";

export interface BalancerPlan {
  readonly clone: string;
  readonly folder: string;
  readonly port: number;
  readonly replicas: readonly number[];
}

/** Returns a function that starts nginx, also again after it has ended. */
export function prepareNginx(processes: ProcessSet, plan: BalancerPlan): () => Promise<Started> {
  const { clone, port, replicas } = plan;
  const folder = join(plan.folder, "nginx");
  mkdirSync(folder, { recursive: true });
  const block = chooseBlock(readDocuments(clone));
  if (block === undefined) throw new Error(`found no nginx configuration in the documents of ${clone}`);
  const file = join(folder, "nginx.conf");
  writeFileSync(file, toConfiguration(folder, withPorts(block, port, replicas)));
  return async () => {
    const args = ["-p", folder, "-c", file, "-e", join(folder, "error.log"), "-g", "daemon off;"];
    const nginx = processes.start("nginx", "nginx", args);
    await untilListening(port);
    return nginx;
  };
}

/** The texts of a clone's documents. */
export function readDocuments(clone: string): string[] {
  const docs = join(clone, "docs");
  const names = readdirSync(docs).filter((name) => name.endsWith(".md"));
  return names.map((name) => readFileSync(join(docs, name), "utf8"));
}
