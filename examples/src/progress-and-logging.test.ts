// The progress and logging example, asked over its fetch handler.
import { metaKey } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { server } from "./progress-and-logging.ts";
import { createWireClient } from "./testing/wire-client.ts";

const handle = server.fetch;
const args = { files: ["a.csv", "b.csv"] };

describe("progress and logging", () => {
  it("a client that requests progress and log messages gets them in order before the result (E-35, E-40)", async () => {
    const client = createWireClient(handle, { meta: { progressToken: "p", [metaKey.logLevel]: "debug" } });
    const { messages, result } = await client.callTool("import_files", args);
    expect(messages.map((message) => message.method)).toEqual([
      "notifications/message",
      "notifications/progress",
      "notifications/message",
      "notifications/progress",
      "notifications/message",
      undefined,
    ]);
    expect(messages[3]?.params).toMatchObject({ progressToken: "p", progress: 2, total: 2, message: "b.csv" });
    expect(result).toMatchObject({ content: [{ text: "2 files imported" }] });
  });

  it("a client that requests a log level gets no messages of lower levels (E-40)", async () => {
    const client = createWireClient(handle, { meta: { [metaKey.logLevel]: "info" } });
    const { messages } = await client.callTool("import_files", args);
    expect(messages).toHaveLength(2);
    expect(messages[0]?.params).toMatchObject({ level: "info", logger: "importer", data: "all files imported" });
  });

  it("a client that requests no notifications gets one JSON object", async () => {
    const { headers, messages } = await createWireClient(handle).callTool("import_files", args);
    expect(headers.get("content-type")).toContain("application/json");
    expect(messages).toHaveLength(1);
  });
});
