// npm run fuzz: bundles the fuzzers with the sources of all packages, and runs them. See README.md.
// The bundle is built from sources, so a fuzzer reaches internal parsers and there is exactly one copy of each module.
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const here = fileURLToPath(new URL(".", import.meta.url));

const bundler = await rolldown({
  input: { main: "src/main.ts", worker: "src/worker.ts", subject: "src/subject.ts" },
  cwd: here,
  platform: "node",
  resolve: { conditionNames: ["@lethe/source", "node", "import"] },
  external: /^(?!@lethe\/|lethe\/|[A-Za-z]:)[^./]/,
  transform: { target: "node20.19" },
});
await bundler.write({ dir: `${here}dist`, entryFileNames: "[name].js", chunkFileNames: "chunks/[name].js" });
await bundler.close();
const { main } = await import("./dist/main.js");
process.exitCode = await main(process.argv.slice(2));
