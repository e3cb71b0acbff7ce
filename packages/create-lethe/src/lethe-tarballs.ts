// Finds the packages of Lethe as tarballs in a folder, for versions that no registry has.
import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { UsageError } from "./usage-error.ts";
import { versions } from "./versions.ts";

/** Maps package names to specifiers such as "file:/packages/lethe-0.1.0.tgz". */
export type Tarballs = ReadonlyMap<string, string>;

/** File names as `npm pack` writes them. A test compares them with the published packages of this repository. */
const files: Readonly<Record<string, string>> = {
  "@lethe/protocol": `lethe-protocol-${versions.lethe}.tgz`,
  "@lethe/server": `lethe-server-${versions.lethe}.tgz`,
  "@lethe/client": `lethe-client-${versions.lethe}.tgz`,
  "@lethe/openapi": `lethe-openapi-${versions.lethe}.tgz`,
  "@lethe/redis": `lethe-redis-${versions.lethe}.tgz`,
  "@lethe/postgres": `lethe-postgres-${versions.lethe}.tgz`,
  lethe: `lethe-${versions.lethe}.tgz`,
};

/** Rejects with UsageError if the folder lacks a package. */
export async function findTarballs(folder: string): Promise<Tarballs> {
  const entries = await readdir(folder).catch((error: Error) => {
    throw new UsageError(`--lethe-from ${folder} cannot be read: ${error.message}`);
  });
  const missing = Object.values(files).filter((file) => !entries.includes(file));
  if (missing.length > 0) {
    throw new UsageError(
      `--lethe-from ${folder} lacks ${missing.join(", ")}; create them in a clone with npm run pack`,
    );
  }
  return new Map(Object.entries(files).map(([name, file]) => [name, `file:${resolve(folder, file)}`]));
}
