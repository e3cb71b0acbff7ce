// Checks each published package as npm would pack it: publint reads the packed files. Compares what all packages share with the root: the
// manifest of the workspace names the repository once, and the licence is one text. Needs the output of `npm run build`.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const root = fileURLToPath(new URL("..", import.meta.url));
const packages = `${root}/packages/`;
const workspace = readManifest(root);
const licence = readFileSync(`${root}/LICENSE`, "utf8");

for (const name of readdirSync(packages)) {
  const manifest = readManifest(`${packages}${name}`);
  if (manifest.private) continue;
  const { messages, pkg } = await publint({ pkgDir: `${packages}${name}`, strict: true, pack: "npm" });
  const problems = [...messages.map((message) => formatMessage(message, pkg)), ...differences(name, manifest)];
  for (const problem of problems) {
    console.error(`packages/${name}: ${problem}`);
    process.exitCode = 1;
  }
}

function differences(name, manifest) {
  const { version, license, homepage, bugs, repository } = workspace;
  const shared = { version, license, homepage, bugs, repository: { ...repository, directory: `packages/${name}` } };
  const wrong = Object.keys(shared).filter((field) => !isDeepStrictEqual(manifest[field], shared[field]));
  const path = `${packages}${name}/LICENSE`;
  return [
    ...wrong.map(
      (field) => `"${field}" must be ${JSON.stringify(shared[field])}, from the package.json of the workspace`,
    ),
    ...(manifest.keywords?.includes("mcp") ? [] : ['"keywords" must contain "mcp"']),
    ...(existsSync(path) && readFileSync(path, "utf8") === licence
      ? []
      : ["LICENSE must be a copy of the one of the workspace"]),
  ];
}

function readManifest(folder) {
  return JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
}
