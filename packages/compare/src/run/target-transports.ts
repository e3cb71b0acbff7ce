// The transports to try for a target that is not known yet.
import { modelRevision } from "@lethe/protocol";
import type { Command } from "../record/record-stdio.ts";
import type { HttpTransport, StdioTransport } from "./transport.ts";

/** A server to compare by URL. `headers` are sent with every request. */
export interface HttpTarget {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server to compare: a URL or a command. */
export type Target = HttpTarget | Command;

/** Throws an Error for anything but an http or https URL. */
export function toHttpTransports({
  url,
  headers = {},
}: HttpTarget): readonly [modern: HttpTransport, legacy: HttpTransport, sse: HttpTransport] {
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    throw new Error(`a target must be an http or https URL, got ${JSON.stringify(url)}`);
  }
  return [
    {
      id: "modern-http",
      title: `Streamable HTTP, ${modelRevision}`,
      era: "modern",
      kind: "streamable-http",
      url,
      headers,
    },
    {
      id: "legacy-http",
      title: "Streamable HTTP, legacy",
      name: "Streamable HTTP",
      era: "legacy",
      kind: "streamable-http",
      url,
      headers,
    },
    {
      id: "http-sse",
      title: "HTTP+SSE",
      era: "legacy",
      kind: "http-sse",
      url: toSseUrl(url),
      headers,
    },
  ];
}

/** Servers with both transports place the HTTP+SSE stream at `/sse` beside `/mcp` (I-38). */
function toSseUrl(url: string): string {
  const address = new URL(url);
  address.pathname = address.pathname.replace(/\/mcp\/?$/, "/sse");
  return address.href;
}

export function toStdioTransports(target: Command): readonly StdioTransport[] {
  return [
    { kind: "stdio", id: "modern-stdio", title: `stdio, ${modelRevision}`, era: "modern", target },
    { kind: "stdio", id: "legacy-stdio", title: "stdio, legacy", name: "stdio", era: "legacy", target },
  ];
}
