// Servers of 2025-11-25 over Streamable HTTP without sessions that answer one method in an unusual way. Each has one tool, `echo`.
import type { ServerResponse } from "node:http";
import { type Fixture, listen, readJson } from "./fixture.ts";

interface Message {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: { readonly arguments?: { readonly text?: string } };
}

/** True if it has answered the message. */
type Answer = (message: Message, response: ServerResponse) => boolean;

const results: Readonly<Record<string, (message: Message) => object>> = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "odd", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }),
  "tools/call": ({ params }) => ({ content: [{ type: "text", text: params?.arguments?.text ?? "" }] }),
};

function listenWith(answerOddly: Answer): Promise<Fixture> {
  return listen(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = (await readJson(request)) as Message;
    if (answerOddly(message, response)) return;
    const { id, method } = message;
    if (id === undefined) return void response.writeHead(202).end();
    const result = results[method]?.(message);
    const outcome = result ? { result } : { error: { code: -32601, message: "method not found" } };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
  });
}

/** Answers `server/discover` with status 500 and a page, like a framework whose handler throws. */
export function startDiscover500(): Promise<Fixture> {
  return listenWith(({ method }, response) => {
    if (method !== "server/discover") return false;
    response.writeHead(500, { "content-type": "text/html" }).end("<h1>Internal Server Error</h1>");
    return true;
  });
}

export interface DownWhileListed extends Fixture {
  /** From now on, the server stays up. */
  recover(): void;
}

/** Closes each connection that requests the tools, like a server that crashes meanwhile. */
export async function startDownWhileListed(): Promise<DownWhileListed> {
  let isDown = false;
  let hasRecovered = false;
  const fixture = await listenWith(({ method }, response) => {
    if (hasRecovered) return false;
    isDown ||= method === "tools/list";
    if (isDown) response.destroy();
    return isDown;
  });
  return {
    ...fixture,
    recover() {
      hasRecovered = true;
    },
  };
}
