// The reference of the exported functions, classes and types: one page for each entry point, by TypeDoc.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Application } from "typedoc";
import { toAnchor } from "../../.vitepress/anchor.ts";

/** Entry points of the published packages, by the name that programs import. */
const entryPoints: Readonly<Record<string, string>> = {
  "@lethe/server": "server/src/index.ts",
  "@lethe/server/node": "server/src/node/index.ts",
  "@lethe/server/auth": "server/src/auth.ts",
  "@lethe/server/middleware": "server/src/middleware.ts",
  "@lethe/server/extensions": "server/src/extensions.ts",
  "@lethe/server/stores": "server/src/stores.ts",
  "@lethe/server/sealing": "server/src/node/sealing/index.ts",
  "@lethe/server/workers": "server/src/node/workers/index.ts",
  "@lethe/server/testing": "testing/src/index.ts",
  "@lethe/server/edge": "server/src/edge.ts",
  "@lethe/client": "client/src/index.ts",
  "@lethe/client/node": "client/src/node/index.ts",
  "@lethe/client/auth": "client/src/auth.ts",
  "@lethe/client/extensions": "client/src/extensions.ts",
  "@lethe/client/edge": "client/src/edge.ts",
  "@lethe/openapi": "openapi/src/index.ts",
  "@lethe/openapi/node": "openapi/src/node/index.ts",
  "@lethe/redis": "redis/src/index.ts",
  "@lethe/postgres": "postgres/src/index.ts",
  "lethe/gateway": "gateway/src/index.ts",
  "lethe/probe": "probe/src/index.ts",
  "lethe/compare": "compare/src/index.ts",
  "@lethe/protocol": "protocol/src/index.ts",
};

/** `repository` is the address of the files on the code host. */
export async function writeApiReference(root: string, folder: string, repository: string): Promise<void> {
  const files = Object.values(entryPoints).map((file) => join(root, "packages", file));
  const application = await Application.bootstrapWithPlugins({
    plugin: ["typedoc-plugin-markdown"],
    entryPoints: files,
    tsconfig: join(root, "site/tsconfig.api.json"),
    basePath: join(root, "packages"),
    out: folder,
    // The build checks types with the compiler of the repository.
    skipErrorChecking: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    readme: "none",
    groupOrder: ["Functions", "Variables", "Classes", "Interfaces", "Type Aliases", "*"],
    name: "TypeScript API",
    gitRevision: "HEAD",
    disableGit: true,
    sourceLinkTemplate: `${repository}packages/{path}#L{line}`,
    logLevel: "Error",
    ...markdownOptions,
  });
  const project = await application.convert();
  if (project === undefined) throw new Error("TypeDoc could not read the entry points");
  const names = new Map(Object.entries(entryPoints).map(([name, file]) => [file.replace(/(\/index)?\.ts$/, ""), name]));
  for (const module of project.children ?? []) module.name = names.get(module.name) ?? module.name;
  await application.generateOutputs(project);
  repairAnchors(folder);
}

/** TypeDoc numbers some anchors of its links although their heading is the only one with its name. */
function repairAnchors(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
  for (const file of files.map((name) => join(folder, name))) {
    const text = readFileSync(file, "utf8");
    const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => toAnchor(heading));
    const isNumbered = (name: string, number: string): boolean =>
      headings.filter((heading) => heading === name).length > Number(number);
    const repaired = text.replace(/\]\(#([\w-]+?)-(\d+)\)/g, (link, name: string, number: string) =>
      isNumbered(name, number) || headings.includes(`${name}-${number}`) ? link : `](#${name})`,
    );
    writeFileSync(file, repaired);
  }
}

const markdownOptions = {
  outputFileStrategy: "modules",
  entryFileName: "index",
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  useHTMLEncodedBrackets: true,
  sanitizeComments: true,
};
