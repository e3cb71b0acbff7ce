// npm run simulate: bundles the simulation with the sources of all packages, and runs it. See README.md.
// In the bundle the driver of Redis is replaced by one over a simulated network.
import { build } from "./bundle.mjs";
import { plant } from "./planted-bugs.mjs";

const args = process.argv.slice(2);
const position = args.indexOf("--plant");
const bug = position < 0 ? undefined : args[position + 1];
const folder = bug === undefined ? await build() : await build({ folder: `dist/${bug}`, plugins: [plant(bug)] });
// Counts what a large deployment costs, instead of searching for errors.
const isScale = args[0] === "--scale";
const { main } = await import(`${folder}/${isScale ? "scale" : "main"}.js`);
process.exitCode = await main(isScale ? args.slice(1) : args);
