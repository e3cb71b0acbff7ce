// The baseline over stdio: bare readline and JSON without validation.
import { createInterface } from "node:readline";
import { greetingOf } from "./tools.ts";

const serverInfo = { "io.modelcontextprotocol/serverInfo": { name: "floor", version: "1.0.0" } };

createInterface({ input: process.stdin }).on("line", (line) => {
  const call = JSON.parse(line) as { id: number; params: { arguments: { name: string } } };
  const content = [{ type: "text", text: greetingOf(call.params.arguments.name) }];
  const result = { resultType: "complete", content, _meta: serverInfo };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: call.id, result })}\n`);
});
