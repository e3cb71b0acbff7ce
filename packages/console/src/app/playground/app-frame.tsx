// The interface that a tool brings along (MCP Apps), in a frame with an origin of its own. It receives the call and may call tools of
// the endpoint after the user agreed; everything else is refused.
import type { Tool } from "@lethe/protocol";
import { useEffect, useRef, useState } from "react";
import type { Call } from "../mcp/calls.ts";
import { describeError } from "../mcp/endpoint-client.ts";
import type { PlaygroundSession } from "../mcp/playground-session.ts";
import { useSession } from "./use-session.ts";

/** The revision of the MCP Apps extension. */
const appsRevision = "2026-01-26";
const maxHeight = 1_200;

/** The URI of the tool's interface, if it has one. */
export function appUriOf({ _meta = {} }: Tool): string | undefined {
  const ui = _meta.ui as { resourceUri?: unknown } | undefined;
  const uri = ui?.resourceUri ?? _meta["ui/resourceUri"];
  return typeof uri === "string" && uri.startsWith("ui://") ? uri : undefined;
}

export function AppFrame({ uri, call }: { uri: string; call: Call }) {
  const session = useSession();
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(320);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const abort = new AbortController();
    const page = readPage(session, uri);
    page.catch((error: unknown) => setProblem(describeError(error)));
    addEventListener(
      "message",
      (event) => {
        const target = frame.current?.contentWindow;
        if (!target || event.source !== target) return;
        // The frame has an opaque origin, which cannot be named.
        const post = (message: unknown) => target.postMessage(message, "*");
        if (event.data?.frame === "ready")
          void page.then(
            (text) => post({ page: text }),
            () => {},
          );
        else
          void answer(event.data, { post, session, call, onHeight: (asked) => setHeight(Math.min(maxHeight, asked)) });
      },
      { signal: abort.signal },
    );
    return () => abort.abort();
  }, [session, uri, call]);
  return (
    <>
      {problem && <p className="banner banner-bad">{problem}</p>}
      <iframe
        ref={frame}
        className="app-frame"
        title={`Interface of ${call.target}`}
        src="/console/frame.html"
        sandbox="allow-scripts allow-forms"
        height={height}
      />
    </>
  );
}

async function readPage({ clients }: PlaygroundSession, uri: string): Promise<string> {
  const client = await clients.of("auto");
  const { contents } = await client.readResource(uri);
  const page = contents.find((content) => "text" in content);
  if (!page || !("text" in page)) throw new Error(`${uri} contains no page`);
  return page.text;
}

interface AppHost {
  post(message: unknown): void;
  readonly session: PlaygroundSession;
  readonly call: Call;
  onHeight(height: number): void;
}

async function answer(message: unknown, { post, session, call, onHeight }: AppHost): Promise<void> {
  const { jsonrpc, id, method, params } = (message ?? {}) as Record<string, unknown>;
  if (jsonrpc !== "2.0" || typeof method !== "string") return;
  const reply = (result: unknown) => post({ jsonrpc: "2.0", id, result });
  if (method === "ui/initialize") {
    const theme = getComputedStyle(document.documentElement).colorScheme.includes("dark") ? "dark" : "light";
    const hostInfo = { name: "lethe-console", version: "0.1.0" };
    reply({ protocolVersion: appsRevision, hostInfo, hostCapabilities: { serverTools: {} }, hostContext: { theme } });
  } else if (method === "ui/notifications/initialized") {
    post({ jsonrpc: "2.0", method: "ui/notifications/tool-input", params: { arguments: call.args } });
    post({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: call.result });
  } else if (method === "ui/notifications/size-changed") {
    const { height } = (params ?? {}) as { height?: unknown };
    if (typeof height === "number" && height > 0) onHeight(height);
  } else if (method === "tools/call") {
    const { name, arguments: args = {} } = (params ?? {}) as { name?: string; arguments?: Record<string, unknown> };
    const isAllowed = name !== undefined && confirm(`The interface of ${call.target} wants to call ${name}. Allow it?`);
    if (!isAllowed) post({ jsonrpc: "2.0", id, error: { code: -32000, message: "the user refused" } });
    else reply(await (await session.clients.of("auto")).callTool(name, args));
  } else if (id !== undefined) {
    post({ jsonrpc: "2.0", id, error: { code: -32601, message: `${method} is not supported here` } });
  }
}
