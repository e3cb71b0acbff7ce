// Files keep their own location: `import.meta.url`, `__dirname` and their like name the source and not the bundle.
import { readFile } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { pathToFileURL } from "node:url";
import type { Loader, Plugin } from "esbuild";

const mentions = /\bimport\.meta\b|\b__dirname\b|\b__filename\b/;
const loaders: Readonly<Record<string, Loader>> = {
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
};

/** The bundler replaces the left by the right, which each file declares for itself. */
const define = {
  "import.meta.url": "letheOwnUrl",
  "import.meta.dirname": "letheOwnFolder",
  "import.meta.filename": "letheOwnFile",
  __dirname: "letheOwnFolder",
  __filename: "letheOwnFile",
};

const plugin: Plugin = {
  name: "own-location",
  setup(build) {
    build.onLoad({ filter: /\.[cm]?[jt]sx?$/ }, async ({ path, namespace }) => {
      if (namespace !== "file") return undefined;
      const text = await readFile(path, "utf8");
      if (!mentions.test(text)) return undefined;
      const loader = loaders[extname(path)] ?? "js";
      return { contents: withLocation(text, path), loader, resolveDir: dirname(path) };
    });
  },
};

/** Adds no line, so that positions in the file stay right. */
function withLocation(text: string, path: string): string {
  const declared = Object.entries({
    letheOwnUrl: pathToFileURL(path).href,
    letheOwnFolder: dirname(path),
    letheOwnFile: path,
  }).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const declaration = `const ${declared.join(", ")};`;
  if (!text.startsWith("#!")) return `${declaration} ${text}`;
  const end = text.indexOf("\n");
  return end === -1 ? text : `${text.slice(0, end + 1)}${declaration} ${text.slice(end + 1)}`;
}

export const ownLocation: { readonly define: Record<string, string>; readonly plugin: Plugin } = { define, plugin };
