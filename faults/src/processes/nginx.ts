// A real nginx with the configuration that the documentation of the tested clone recommends.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toLocalConfiguration } from "./documented-configuration.ts";
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
  const { clone, port } = plan;
  const folder = join(plan.folder, "nginx");
  mkdirSync(folder, { recursive: true });
  const block = toLocalConfiguration(readDocuments(clone), "nginx", plan);
  if (block === undefined) throw new Error(`found no nginx configuration in the documents of ${clone}`);
  const file = join(folder, "nginx.conf");
  writeFileSync(file, toConfiguration(folder, block));
  return async () => {
    const args = ["-p", folder, "-c", file, "-e", join(folder, "error.log"), "-g", "daemon off;"];
    const nginx = processes.start("nginx", "nginx", args);
    await untilListening(port, nginx);
    return nginx;
  };
}

/** The texts of a clone's documents. */
export function readDocuments(clone: string): string[] {
  const docs = join(clone, "docs");
  const names = readdirSync(docs).filter((name) => name.endsWith(".md"));
  return names.map((name) => readFileSync(join(docs, name), "utf8"));
}

/** `block`: the directives inside of `http`. All files of nginx are in `folder`. */
function toConfiguration(folder: string, block: string): string {
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `
pid ${folder}/nginx.pid;
worker_processes 1;
worker_shutdown_timeout 5s;
events { worker_connections 2048; }
http {
access_log off;
${kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join("\n")}
${block}
}
`;
}
