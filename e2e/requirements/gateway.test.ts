// Requirements on an intermediary that no unit test covers: one test each, named by its id.
import { expect, onTestFinished, test } from "vitest";
import { runGateway } from "../gateway/in-process.ts";
import { type Headers, messagesOf, post, requestOf } from "./raw-http.ts";

async function startGateway() {
  const { url, close } = await runGateway({ upstreams: [] });
  onTestFinished(() => close());
  return (request: Request) => fetch(new URL(new URL(request.url).pathname, url), request);
}

test.each<[string, Headers]>([
  ["another method", { "mcp-method": "tools/list" }],
  ["another name", { "mcp-name": "another" }],
  ["another version", { "mcp-protocol-version": "2025-11-25" }],
  ["no version", { "mcp-protocol-version": undefined }],
])(
  "B-41: the gateway answers 400 and a header mismatch if the headers name %s than the body",
  async (_what, headers) => {
    const handle = await startGateway();
    const response = await post(handle, requestOf("tools/call", { name: "t" }), headers);
    expect([response.status, (await messagesOf(response))[0]]).toMatchObject([400, { error: { code: -32020 } }]);
  },
);
