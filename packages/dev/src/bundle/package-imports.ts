// Packages stay imports, resolved from the file that imports them. Files of the author's own workspace become part of the bundle.
// `createServer`, `serve` and `serveStdio` come from the runner, which sees what the program creates and serves.
import { isBuiltin } from "node:module";
import { pathToFileURL } from "node:url";
import type { ImportKind, Plugin } from "esbuild";
import { replaced, replacementsSymbol } from "./replaced.ts";

const lethe = /^(@lethe\/|lethe($|\/))/;
/** Marks a resolution that the plugin asks for itself. */
const asked = Symbol("asked");

/** Adds the URL of each imported package to `found`. */
export function packageImports(found: Set<string>): Plugin {
  return {
    name: "package-imports",
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
        if (pluginData === asked || kind === "entry-point" || /^[A-Za-z]:[\\/]/.test(path)) return undefined;
        if (isBuiltin(path) || /^(data|file):/.test(path)) return { path, external: true };
        const resolved = await build.resolve(path, { kind, importer, resolveDir, pluginData: asked });
        if (resolved.errors.length > 0 || resolved.external) return resolved;
        const isPackage = lethe.test(path) || /[\\/]node_modules[\\/]/.test(resolved.path);
        if (!isPackage) return resolved;
        const url = pathToFileURL(resolved.path).href;
        if (kind !== "require-call") found.add(url);
        if (path in replaced) return { path: `${path} ${url}`, namespace: "replaced", sideEffects: false };
        return { path: toExternal(resolved.path, url, kind), external: true };
      });
      build.onLoad({ filter: /.*/, namespace: "replaced" }, ({ path }) => {
        const [name = "", url = ""] = path.split(" ");
        return { contents: toReplacement(name, url), loader: "js" };
      });
    },
  };
}

function toExternal(path: string, url: string, kind: ImportKind): string {
  return kind === "require-call" || kind === "require-resolve" ? path : url;
}

/** A module with the names of the original, some of them replaced. Names of the module itself win over those of `export *`. */
function toReplacement(name: string, url: string): string {
  const names = replaced[name] ?? [];
  const lines = names.map((own) => `export const ${own} = replacements.${own}(original.${own});`);
  return [
    `import * as original from ${JSON.stringify(url)};`,
    `const replacements = globalThis[Symbol.for(${JSON.stringify(replacementsSymbol)})];`,
    ...lines,
    `export * from ${JSON.stringify(url)};`,
  ].join("\n");
}
