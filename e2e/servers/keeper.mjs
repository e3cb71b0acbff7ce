// The keeper on stdin and stdout: one process for one client.
import { createInterface } from "node:readline";
import { createKeeper } from "./create-keeper.mjs";

const receive = createKeeper();
const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
createInterface({ input: process.stdin })
  .on("line", (line) => receive(JSON.parse(line), write))
  .on("close", () => process.exit(0));
