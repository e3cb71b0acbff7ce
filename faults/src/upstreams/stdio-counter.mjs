// node stdio-counter.mjs LOGFILE: the counter on stdin and stdout, one process for one client.
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createCounter } from "./counter.mjs";

await createCounter(process.argv[2]).connect(new StdioServerTransport());
process.stdin.on("close", () => process.exit(0));
