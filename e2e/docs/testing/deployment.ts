// The programs of docs/deploy/, and the check that each of them passes: a call with one round of input, sealed with its key.
import { readFileSync } from "node:fs";
import { expect } from "vitest";

/** The value of LETHE_KEYS in these tests. */
export const keys = `k1:${Buffer.alloc(32, 7).toString("base64url")}`;

export type Send = (request: Request) => Promise<Response>;

/** The first block of code in a language. */
export function documentedCode(page: string, language: "js" | "ts" | "dockerfile"): string {
  const text = readFileSync(new URL(`../../../docs/deploy/${page}.md`, import.meta.url), "utf8");
  const code = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(text)?.[1];
  if (code === undefined) throw new Error(`docs/deploy/${page}.md: a block of ${language} expected`);
  return code;
}

interface Answer {
  readonly result?: {
    readonly requestState?: string;
    readonly inputRequests?: Readonly<Record<string, unknown>>;
    readonly content?: unknown;
  };
}

/** `retry` takes the second round: it may lead to another process with the same key. */
export async function checkDeployment(url: string, send: Send, retry: Send = send): Promise<void> {
  const { result: asked } = await call(url, send, {});
  expect(asked?.requestState).toMatch(/^1\.k1\./);
  const content = { action: "accept", content: { name: "Ada" } };
  const inputResponses = Object.fromEntries(Object.keys(asked?.inputRequests ?? {}).map((id) => [id, content]));
  const { result } = await call(url, retry, { inputResponses, requestState: asked?.requestState });
  expect(result?.content).toEqual([{ type: "text", text: "Hello Ada!" }]);
}

async function call(url: string, send: Send, more: object): Promise<Answer> {
  const response = await send(post(url, "tools/call", { name: "greet", arguments: {}, ...more }));
  return (await response.json()) as Answer;
}

export function post(
  url: string,
  method: string,
  params: { readonly name?: string; readonly [member: string]: unknown },
): Request {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  };
  return new Request(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": method,
      ...(params.name !== undefined && { "Mcp-Name": params.name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
}
