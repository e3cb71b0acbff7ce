// npm run pack -- FOLDER: packs every published package as npm would publish it, to try versions that no registry has.
// Prints one path per package. Needs the output of `npm run build`.
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("error: name a folder: npm run pack -- FOLDER");
  process.exit(1);
}
const target = resolve(process.env.INIT_CWD ?? ".", folder);
mkdirSync(target, { recursive: true });
const published = readdirSync(packages).filter(
  (name) => !JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8")).private,
);
// One npm process for all: each takes half a second to start.
const paths = published.map((name) => join(packages, name));
const { stdout } = await promisify(execFile)("npm", ["pack", "--json", "--pack-destination", target, ...paths], {
  maxBuffer: 1 << 26,
});
for (const { filename } of JSON.parse(stdout)) console.log(join(target, filename));
