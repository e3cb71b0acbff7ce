// Turns the author's file and the files that it imports into one module. Packages of node_modules stay imports.
import { writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildContext, type BuildFailure, context, type Message } from "esbuild";
import { missingPathsOf } from "./missing-paths.ts";
import { ownLocation } from "./own-location.ts";
import { packageImports } from "./package-imports.ts";
import type { Problem } from "./problem.ts";
import { findTsconfig } from "./tsconfig.ts";

export interface Bundle {
  /** The written module. */
  readonly url: string;
  /** The same for the same code. */
  readonly hash: string;
  /** Every file outside of node_modules that the module is made of. */
  readonly files: readonly string[];
  /** URLs of the imported packages. */
  readonly packages: readonly string[];
}

export type BundleOutcome =
  | { readonly bundle: Bundle }
  /** `files` includes files that are missing, so that their creation is noticed. */
  | { readonly problems: readonly Problem[]; readonly files: readonly string[] };

export interface Bundler {
  build(): Promise<BundleOutcome>;
  close(): Promise<void>;
}

export interface BundlerOptions {
  /** The file of the author, as an absolute path. */
  readonly entry: string;
  /** Where the modules are written. */
  readonly folder: string;
}

export async function createBundler({ entry, folder }: BundlerOptions): Promise<Bundler> {
  const packages = new Set<string>();
  const tsconfig = await findTsconfig(dirname(entry));
  const bundler = await createContext(entry, folder, packages);
  let lastFiles: readonly string[] = [entry];
  let count = 0;

  return {
    async build() {
      packages.clear();
      count += 1;
      try {
        const { metafile, outputFiles } = await bundler.rebuild();
        const output = outputFiles.find(({ path }) => path.endsWith(".mjs"));
        if (!output) throw new Error("esbuild wrote no module");
        const inputs = Object.keys(metafile.inputs).filter((path) => !path.includes(":"));
        lastFiles = [...inputs.map((path) => resolve(path)), ...tsconfig];
        const file = join(folder, `server-${count}.mjs`);
        await writeFile(file, output.contents);
        const url = pathToFileURL(file).href;
        return { bundle: { url, hash: output.hash, files: lastFiles, packages: [...packages] } };
      } catch (error) {
        const { errors } = error as BuildFailure;
        if (errors === undefined) throw error;
        const named = errors.flatMap(({ location }) => (location ? [resolve(location.file)] : []));
        const files = [...new Set([...lastFiles, ...named, ...missingPathsOf(errors), ...tsconfig])];
        return { problems: errors.map(toProblem), files };
      }
    },
    close: () => bundler.dispose(),
  };
}

function createContext(entry: string, folder: string, packages: Set<string>) {
  return context({
    entryPoints: [entry],
    outfile: join(folder, "server.mjs"),
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    target: `node${process.versions.node}`,
    // Without "module", which Node does not know.
    conditions: [],
    sourcemap: "inline",
    sourcesContent: false,
    logLevel: "silent",
    keepNames: true,
    define: ownLocation.define,
    // Code of CommonJS calls require.
    banner: {
      js: `import { createRequire as letheCreateRequire } from "node:module"; const require = letheCreateRequire(${JSON.stringify(pathToFileURL(entry).href)});`,
    },
    plugins: [packageImports(packages), ownLocation.plugin],
  }) satisfies Promise<BuildContext>;
}

function toProblem({ text, location, notes }: Message): Problem {
  const more = notes.map((note) => note.text).filter((note) => note !== "");
  return {
    text: [text, ...more].join("\n"),
    ...(location && {
      place: {
        file: resolve(location.file),
        line: location.line,
        column: location.column + 1,
        length: location.length,
        lineText: location.lineText,
      },
    }),
  };
}
