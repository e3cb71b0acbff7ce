// Small servers on stdio, as the text of a program: `answer` gets a message and writes with `send`.
import type { CommandTarget } from "../target/target.ts";

/** `answer` is the body of a function of `{ id, method, params }`; `reply(result)` and `refuse(code, data)` answer it. */
export function stdioServer(answer: string, before = ""): CommandTarget {
  const program = `
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
    ${before}
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params = {}, result } = JSON.parse(line);
      const reply = (result) => send({ id, result });
      const refuse = (code, data) => send({ id, error: { code, message: "no", data } });
      const isModern = params._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
      const capabilities = { tools: {} };
      const serverInfo = { name: "odd", version: "1" };
      const legacy = () => {
        if (method === "initialize") reply({ protocolVersion: "2025-11-25", capabilities, serverInfo });
        else if (method === "tools/list") reply({ tools: [] });
        else if (id !== undefined && method) refuse(-32601);
      };
      const modern = () => {
        const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
        if (method === "server/discover") reply({ ...complete, supportedVersions: ["2026-07-28"], capabilities });
        else if (method === "tools/list") reply({ ...complete, tools: [] });
        else if (id !== undefined && method) refuse(-32601);
      };
      ${answer}
    });`;
  return { command: process.execPath, args: ["-e", program] };
}
