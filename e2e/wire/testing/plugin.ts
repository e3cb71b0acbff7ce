// Replaces modules with the checking modules of the same name in this folder, in tests only.
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../../../packages/", import.meta.url));
const here = fileURLToPath(new URL(".", import.meta.url));

const stands: Readonly<Record<string, string>> = {
  "server/src/node/node-io.ts": "node-io.ts",
  "server/src/http/fetch-io.ts": "fetch-io.ts",
  "server/src/http/check-request.ts": "check-request.ts",
  "server/src/stdio/stdio-edge.ts": "stdio-edge.ts",
  "client/src/node/http-send.ts": "http-send.ts",
  "client/src/http/fetch-send.ts": "fetch-send.ts",
  "client/src/node/stdio.ts": "stdio.ts",
};
const standByPath = new Map(Object.entries(stands).map(([path, stand]) => [packages + path, here + stand]));
const names = new Set(Object.values(stands));

export const setupFile: string = `${here}setup.ts`;

/** The members of a Vite plugin that are used here. */
export interface ResolvePlugin {
  name: string;
  enforce: "pre";
  resolveId(source: string, importer: string | undefined): string | undefined;
}

export function watchWire(): ResolvePlugin {
  return {
    name: "watch-wire",
    enforce: "pre",
    resolveId(source, importer) {
      const name = source.slice(source.lastIndexOf("/") + 1);
      if (importer === undefined || !source.startsWith(".") || !names.has(name) || importer.startsWith(here)) {
        return undefined;
      }
      return standByPath.get(fileURLToPath(new URL(source, `file://${importer}`)));
    },
  };
}
