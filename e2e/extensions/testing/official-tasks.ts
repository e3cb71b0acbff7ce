// A tool call as a task, by the official package for clients of tasks.
import {
  createTaskSessionFromClient,
  type JsonRpcResponse,
  resultFromTaskOutcome,
} from "@modelcontextprotocol/ext-tasks/client";
import type { Revision } from "./cell.ts";
import { clientInfo, usingOfficial } from "./official-client.ts";

/** Rejects if the call is answered without a task. */
export function callAsTask(url: string, tool: string, revision: Revision): Promise<unknown> {
  return usingOfficial(url, { revision }, async (client) => {
    const isModern = revision === "2026-07-28";
    const framing = { protocolVersion: revision, clientInfo, clientCapabilities: {} };
    const session = createTaskSessionFromClient(client, {
      endpointId: url,
      ...(isModern && {
        rawDispatch: (request) => post(url, request as unknown as JsonRpcRequest),
        v2RequestFraming: framing,
      }),
    });
    const execution = await session.callTool(tool, {}, { task: { preference: "require" } });
    if (execution.kind !== "task") throw new Error(`${tool} at ${url}: a task expected, got a result`);
    const { outcome } = await execution.settle();
    await session.close();
    return resultFromTaskOutcome(outcome);
  });
}

interface JsonRpcRequest {
  readonly method: string;
  readonly params?: { readonly name?: string; readonly taskId?: string };
}

/** The official client does not know the results of the extension, so that the package sends these requests by itself. */
async function post(url: string, request: JsonRpcRequest): Promise<JsonRpcResponse> {
  const { method, params = {} } = request;
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": params.name ?? params.taskId ?? "",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...request }),
  });
  const text = await response.text();
  return JSON.parse(/^data: (\{.*\})$/m.exec(text)?.[1] ?? text);
}
