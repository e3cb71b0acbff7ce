// Copies what a published package needs of the private packages that it contains: declarations to dist/FOLDER/, and the sources that
// maps name to dist/sources/FOLDER/. Beside the declarations, the compiler would read the sources instead.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const packages = fileURLToPath(new URL("../packages/", import.meta.url));

/** `contained` maps the names of contained packages to their folders. */
export function copyContained(dist, contained) {
  rmSync(`${dist}sources`, { recursive: true, force: true });
  for (const folder of contained.values()) {
    const from = join(packages, folder, "dist");
    const to = join(dist, folder);
    rmSync(to, { recursive: true, force: true });
    const files = readdirSync(from, { recursive: true }).filter((name) => /\.d\.ts(\.map)?$/.test(name));
    for (const file of files) {
      const copy = join(to, file);
      const text = readFileSync(join(from, file), "utf8");
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, file.endsWith(".map") ? mapOf(text, join(from, file), copy) : declarationOf(text, copy));
    }
    const isPublished = (path) => !path.endsWith(".test.ts") && basename(path) !== "testing";
    for (const sources of ["src", "bin"].filter((name) => existsSync(join(packages, folder, name))))
      cpSync(join(packages, folder, sources), `${dist}sources/${folder}/${sources}`, {
        recursive: true,
        filter: isPublished,
      });
  }

  /** Makes imports of contained packages relative. A further entry point is the file of its name. */
  function declarationOf(text, copy) {
    const toLink = (id) => {
      const [scope, name, entry = "index"] = id.split("/");
      const folder = contained.get(`${scope}/${name}`);
      return folder === undefined ? id : linkTo(dirname(copy), `${dist}${folder}/${entry}.js`);
    };
    return text.replace(/(?<=")@lethe\/[^"]+(?=")/g, toLink);
  }

  function mapOf(text, path, copy) {
    const map = JSON.parse(text);
    const files = map.sources.map((source) => publishedSource(dist, contained, resolve(dirname(path), source)));
    return JSON.stringify({ ...map, sources: files.map((file) => linkTo(dirname(copy), file)) });
  }
}

/** Returns where a package publishes a source file: in place, or among its copies. */
export function publishedSource(dist, contained, file) {
  const folder = [...contained.values()].find((name) => file.startsWith(join(packages, name) + sep));
  return folder === undefined ? file : join(dist, "sources", folder, relative(join(packages, folder), file));
}

/** Returns a relative path with slashes, also on Windows. */
export function linkTo(from, to) {
  return relative(from, to).replaceAll("\\", "/");
}
