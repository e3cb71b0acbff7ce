// A modern server on stdin and stdout that starts as fast as possible.
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const { id, method } = JSON.parse(line);
    if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: resultOf(method) })}\n`);
  }
});

function resultOf(method) {
  if (method === "tools/call") return { resultType: "complete", content: [{ type: "text", text: "hello" }] };
  const hints = { ttlMs: 0, cacheScope: "private" };
  return { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ...hints };
}
