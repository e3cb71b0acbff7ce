// Checks each published package as npm would pack it: publint reads the packed files. Needs the output of `npm run build`.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));

for (const name of readdirSync(packages)) {
  if (JSON.parse(readFileSync(`${packages}${name}/package.json`, "utf8")).private) continue;
  const { messages, pkg } = await publint({ pkgDir: `${packages}${name}`, strict: true, pack: "npm" });
  for (const message of messages) {
    console.error(`packages/${name}: ${formatMessage(message, pkg)}`);
    process.exitCode = 1;
  }
}
