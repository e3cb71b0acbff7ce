// MCP Apps on the client, for hosts: reads the app of a tool, and makes the calls of an app.
import {
  appsExtension,
  type BlobResourceContents,
  type CallToolResult,
  isJsonObject,
  type JsonObject,
  type TextResourceContents,
  type Tool,
} from "@lethe/protocol";
import type { Client } from "../connect/client.ts";
import type { ClientExtension } from "../connect/client-extension.ts";

/** The media type of the pages that a host shows. */
const mimeTypes = ["text/html;profile=mcp-app"];

/** An app as its host shows it: in a sandboxed frame, with what its server allows and asks for. */
export interface App {
  /** The URI of its page. */
  readonly uri: string;
  /** The page. Show it in a sandboxed frame only. */
  readonly html: string;
  /** The origins that the page may use, as its server stated them. Undefined: none. */
  readonly csp: JsonObject | undefined;
  /** What the page asks for, such as the camera. Undefined: nothing. */
  readonly permissions: JsonObject | undefined;
  /**
   * Makes a `tools/call` of the app. The request names the app, so that a gateway finds the app's server by it. Rejects with an Error if the
   * tool reserves itself for models.
   */
  callTool(name: string, args?: JsonObject): Promise<CallToolResult>;
}

/** The calls of the extension MCP Apps: `client.extension(…)`. */
export interface AppsApi {
  /** Reads the app of a tool. Returns undefined for a tool without an app. Rejects with an Error if its URI or media type is not that of an app. */
  open(tool: Tool): Promise<App | undefined>;
  /** Returns the tools that a model may see: without those that only apps may call. */
  forModel(tools: readonly Tool[]): Tool[];
}

/**
 * The extension MCP Apps, for hosts that show user interfaces. Servers then offer their tools with user interfaces.
 *
 * @example
 * import { apps } from "@lethe/client/extensions";
 * import { connect } from "@lethe/client/node";
 * import { createServer } from "@lethe/server";
 * import { serve } from "@lethe/server/node";
 *
 * const server = createServer({ name: "clock", version: "1.0.0" });
 * server.app("now", { html: "<h1>It is time.</h1>", tool: { handler: () => "noon" } });
 * const serving = await serve(server, { port: 0 });
 *
 * const ui = apps();
 * const client = await connect(serving.url, { extensions: [ui] });
 * const [tool] = await client.listTools();
 * const app = tool && (await client.extension(ui).open(tool));
 * console.log(app?.html); // <h1>It is time.</h1>
 * await client.close();
 * await serving.close();
 */
export function apps(): ClientExtension<AppsApi> {
  return {
    id: appsExtension,
    settings: { mimeTypes },
    api: (client) => ({
      open: (tool) => open(client, tool),
      forModel: (tools) => tools.filter((tool) => isVisibleTo("model", tool)),
    }),
  };
}

async function open(client: Client, tool: Tool): Promise<App | undefined> {
  const uri = resourceOf(tool);
  if (uri === undefined) return undefined;
  if (!uri.startsWith("ui://"))
    throw new Error(`tool ${tool.name}: an app whose URI begins with ui:// expected, got ${uri}`);
  const { contents } = await client.readResource(uri);
  const page = contents.find((content) => content.uri === uri) ?? contents[0];
  const html = page && toHtml(page);
  if (html === undefined) {
    throw new Error(`app ${uri}: a page of the media type ${mimeTypes[0]} expected, got ${page?.mimeType ?? "none"}`);
  }
  const ui = isJsonObject(page?._meta) && isJsonObject(page._meta.ui) ? page._meta.ui : {};
  return {
    uri,
    html,
    csp: isJsonObject(ui.csp) ? ui.csp : undefined,
    permissions: isJsonObject(ui.permissions) ? ui.permissions : undefined,
    async callTool(name, args = {}) {
      const own = (await client.listTools()).find((one) => one.name === name);
      if (own && !isVisibleTo("app", own)) throw new Error(`app ${uri}: the tool ${name} is not for apps`);
      return client.callTool(name, args, { meta: { ui: { resourceUri: uri } } }) as Promise<CallToolResult>;
    },
  };
}

/** Undefined for content that is no page of an app. */
function toHtml(page: TextResourceContents | BlobResourceContents): string | undefined {
  if (!page.mimeType || !mimeTypes.includes(page.mimeType)) return undefined;
  if ("text" in page) return page.text;
  return new TextDecoder().decode(Uint8Array.from(atob(page.blob), (character) => character.charCodeAt(0)));
}

function resourceOf({ _meta }: Tool): string | undefined {
  if (!isJsonObject(_meta)) return undefined;
  const uri = isJsonObject(_meta.ui) ? _meta.ui.resourceUri : undefined;
  // Servers made before the extension was final use the flat key only.
  return [uri, _meta["ui/resourceUri"]].find((one) => typeof one === "string") as string | undefined;
}

/** Both by default. */
function isVisibleTo(who: "model" | "app", { _meta }: Tool): boolean {
  const visibility = isJsonObject(_meta) && isJsonObject(_meta.ui) ? _meta.ui.visibility : undefined;
  return !Array.isArray(visibility) || visibility.includes(who);
}
