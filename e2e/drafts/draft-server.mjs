// A stdio server of the drafts of 2026-07-28: it sends acknowledgements and notifications without `_meta`, puts
// `serverInfo` into the body of its DiscoverResult, and sends no cache hints.
import { createInterface } from "node:readline";

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "server/discover") {
    const capabilities = { tools: { listChanged: true } };
    write({ id, result: { supportedVersions: ["2026-07-28"], capabilities, serverInfo: { name: "d", version: "1" } } });
  } else if (method === "subscriptions/listen") {
    write({
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { toolsListChanged: true } },
    });
    write({ method: "notifications/tools/list_changed" });
  }
});
