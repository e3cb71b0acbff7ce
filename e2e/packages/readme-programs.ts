// The programs in the READMEs of packages, and what they print.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));
/** READMEs of packages, and of the packages that `lethe` contains. */
const readmes = ["server", "client", "redis", "postgres", "openapi", "cli", "gateway", "probe", "compare"];

/** What a program prints, if it prints something. */
export const outputs: Readonly<Record<string, RegExp>> = {
  "cli-0.js": /was answered without any session/,
  "gateway-1.js": /^tools__echo$/m,
  "probe-0.js": /^STATELESS pass-through$/m,
  "compare-0.js": /Streamable HTTP, 2026-07-28/,
};
/** Programs that print this line and listen until they are stopped. */
export const listening = ["server-0.js", "gateway-0.js", "openapi-0.js"];
export const listeningLine = /^Listening on http:\/\/127\.0\.0\.1:\d+\/mcp$/;

/** Maps file names to programs: code blocks with imports. They call `url` instead of http://localhost:3000/mcp. */
export function readmePrograms(url: string): Map<string, string> {
  const programs = readmes.flatMap((name) => {
    const text = readFileSync(join(packages, name, "README.md"), "utf8");
    return [...text.matchAll(/^```ts\n(.*?)^```$/gms)]
      .map(([, code = ""]) => code)
      .filter((code) => /^import /m.test(code))
      .map((code, index) => [`${name}-${index}`, code.replaceAll("http://localhost:3000/mcp", url)] as const);
  });
  return new Map(programs);
}
