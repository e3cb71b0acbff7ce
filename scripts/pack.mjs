// npm run pack -- FOLDER: packs every published package as npm would publish it, to try versions that no registry has.
// Prints one path per package. Needs the output of `npm run build`.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { packPackages } from "./release/pack-packages.mjs";

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("error: name a folder: npm run pack -- FOLDER");
  process.exit(1);
}
const root = fileURLToPath(new URL("..", import.meta.url));
const packed = await packPackages(root, resolve(process.env.INIT_CWD ?? ".", folder));
for (const { file } of packed) console.log(file);
