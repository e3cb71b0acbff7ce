// Checks a packed package as its users get it: publint, are-the-types-wrong, its licence, and sources for its maps.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { promisify } from "node:util";
import { unpack } from "@publint/pack";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const run = promisify(execFile);

/** Returns what is wrong with it, one line each. */
export async function checkTarball(root, file) {
  const tarball = readFileSync(file);
  const bytes = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength);
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: bytes } });
  const { rootDir, files } = await unpack(bytes);
  const contents = new Map(files.map(({ name, data }) => [posix.relative(rootDir, name), Buffer.from(data)]));
  return [
    ...messages.map((message) => formatMessage(message, pkg)),
    ...(contents.has("LICENSE") ? [] : ["has no LICENSE"]),
    ...problemsOfMaps(contents),
    ...(pkg.exports === undefined ? [] : await checkTypes(root, file)),
  ];
}

/** The pages of the console: built bytes in a module, which is no source to read. */
const builtPages = /^dist\/sources\/console\/site\//;

/** Every declaration and every script with code has a map, and each source that a map names is in the package. */
function problemsOfMaps(contents) {
  const names = [...contents.keys()].filter((name) => /^dist\/(?!sources\/)/.test(name));
  return names.flatMap((name) => {
    if (/\.(js|d\.ts)$/.test(name))
      return contents.has(`${name}.map`) || isOnlyLinks(contents.get(name)) ? [] : [`${name} has no map`];
    if (!name.endsWith(".map")) return [];
    const { sources } = JSON.parse(contents.get(name).toString("utf8"));
    const paths = sources.map((source) => posix.join(posix.dirname(name), source));
    const missing = paths.filter((path) => !contents.has(path) && !builtPages.test(path));
    return missing.map((path) => `${name} names ${path}, which is not packed`);
  });
}

/** The bundler writes no map for an entry point that only exports what other files define. */
function isOnlyLinks(script) {
  return (
    script
      .toString("utf8")
      .replace(/^(import|export) .*;$|^\/\/.*$/gm, "")
      .trim() === ""
  );
}

/** The packages are ECMAScript modules only. */
async function checkTypes(root, file) {
  const args = [
    `${root}/node_modules/@arethetypeswrong/cli/dist/index.js`,
    "--profile",
    "esm-only",
    "--no-color",
    file,
  ];
  try {
    await run(process.execPath, args, { maxBuffer: 1 << 26 });
    return [];
  } catch (error) {
    return [`are-the-types-wrong: ${error.stdout}${error.stderr}`];
  }
}
