// npm run faults: bundles the fault runs and starts them. See README.md.
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const here = fileURLToPath(new URL(".", import.meta.url));

const bundler = await rolldown({
  input: { main: "src/main.ts" },
  cwd: here,
  platform: "node",
  external: /^(?![A-Za-z]:)[^./]/,
  transform: { target: "node20.19" },
});
await bundler.write({ dir: `${here}dist`, entryFileNames: "[name].js" });
await bundler.close();
const { main } = await import("./dist/main.js");
process.exitCode = await main(process.argv.slice(2));
