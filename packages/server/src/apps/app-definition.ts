// An MCP App as its resource and its tool.
import { checkOptions, isJsonObject, type JsonObject, type KnownOptions, nameOf } from "@lethe/protocol";
import type { ResourceOptions } from "../features/resource.ts";
import type { Schema } from "../features/schema.ts";
import type { ToolOptions, ToolReturn } from "../features/tool.ts";
import type { AppPage } from "./app-page.ts";

/** The media type of the page of an app. */
export const appMimeType = "text/html;profile=mcp-app";

/** The origins that the page of an app may use. A list that is absent or empty allows none. */
export interface AppCsp {
  /** Origins for fetch, XHR and WebSocket, such as `https://api.example.com`. */
  connectDomains?: string[];
  /** Origins of images, scripts, styles, fonts and media. */
  resourceDomains?: string[];
  /** Origins of nested frames. */
  frameDomains?: string[];
  /** Origins of the base URI of the document. */
  baseUriDomains?: string[];
}

/** What the page of an app asks its host for. */
export interface AppPermissions {
  /** The camera. */
  camera?: Record<string, never>;
  /** The microphone. */
  microphone?: Record<string, never>;
  /** The location of the device. */
  geolocation?: Record<string, never>;
  /** Writing to the clipboard. */
  clipboardWrite?: Record<string, never>;
}

/** `_meta.ui` of the resource of an app: what its host allows and how it shows the page. */
export interface AppResourceMeta {
  /** Default: the page may use no network. */
  csp?: AppCsp;
  /** Default: none. */
  permissions?: AppPermissions;
  /** The origin of the sandbox, in the form that the host documents. Default: the host chooses. */
  domain?: string;
  /** Whether the page wants a border and a background. Default: the host chooses. */
  prefersBorder?: boolean;
}

/** Options of `server.app`. One of `html`, `file` and `url` is the page. */
export interface AppOptions<
  I extends Schema | undefined,
  O extends Schema | undefined,
  R extends ToolReturn<O> = ToolReturn<O>,
> extends AppResourceMeta {
  /** The page as HTML, or a function that returns it for each read. */
  html?: string | (() => string | Promise<string>);
  /**
   * A file with the HTML of the page, on platforms with files. It is read once when the app is defined, and again for each read of the page.
   * Its folder is watched, and subscribers of the page are notified of changes, until `server.close`.
   */
  file?: string | URL;
  /** Whether the folder of `file` is watched. Default true. */
  watch?: boolean;
  /** The address of a page that is served elsewhere, such as a development server. It is shown in a frame. */
  url?: string | URL;
  /** The tool whose result the app shows. */
  tool: ToolOptions<I, O, R>;
  /** Who may call the tool: the model, apps of this server, or both. Default both. */
  visibility?: ("model" | "app")[];
  /** The URI of the resource. Default: `ui://{server}/{name}.html`. */
  uri?: string;
  /** Returns the text that a client without MCP Apps gets instead of the content of a result. Default: the content. */
  text?: (result: { content: unknown[]; structuredContent?: unknown }) => string;
}

/** Unknown options of the tool are rejected by `server.tool`. */
const knownAppOptions: KnownOptions<AppOptions<Schema, Schema>> = {
  html: true,
  file: true,
  url: true,
  tool: "an object",
  visibility: "an array?",
  uri: "a string?",
  watch: true,
  text: "a function?",
  csp: { connectDomains: true, resourceDomains: true, frameDomains: true, baseUriDomains: true },
  permissions: { camera: true, microphone: true, geolocation: true, clipboardWrite: true },
  domain: true,
  prefersBorder: true,
};

/** The tool and the resource of an app. */
export interface AppDefinition<I extends Schema | undefined, O extends Schema | undefined, R extends ToolReturn<O>> {
  readonly uri: string;
  readonly tool: ToolOptions<I, O, R>;
  readonly resource: ResourceOptions;
}

/** Throws an Error that names the app and the option that is wrong. */
export function checkApp(
  name: string,
  options: Pick<AppOptions<undefined, undefined>, "html" | "file" | "url" | "uri" | "visibility">,
): void {
  const place = `app ${JSON.stringify(name)}`;
  checkOptions(place, options, knownAppOptions);
  const pages = (["html", "file", "url"] as const).filter((option) => options[option] !== undefined);
  if (pages.length !== 1) {
    const got = pages.length === 0 ? "none" : pages.join(" and ");
    throw new Error(`${place}: one of "html", "file" and "url" expected, got ${got}`);
  }
  const { html, file, uri, visibility } = options;
  if (html !== undefined && typeof html !== "string" && typeof html !== "function")
    throw new Error(`${place}: html: a string or a function expected, got ${nameOf(html)}`);
  if (file !== undefined && typeof file !== "string" && !((file as unknown) instanceof URL))
    throw new Error(`${place}: file: a path or a URL expected, got ${nameOf(file)}`);
  if (uri !== undefined && !uri.startsWith("ui://"))
    throw new Error(`${place}: uri: a URI that begins with ui:// expected, got ${uri}`);
  if (visibility?.length === 0) throw new Error(`${place}: visibility: "model" or "app" expected, got an empty array`);
  const odd = visibility?.find((one) => one !== "model" && one !== "app");
  if (odd !== undefined) throw new Error(`${place}: visibility: "model" or "app" expected, got ${JSON.stringify(odd)}`);
}

/** The options were checked. */
export function createAppDefinition<
  I extends Schema | undefined,
  O extends Schema | undefined,
  R extends ToolReturn<O>,
>(
  name: string,
  { tool, visibility, csp, permissions, domain, prefersBorder, ...options }: AppOptions<I, O, R>,
  { server, page }: { server: string; page: AppPage },
): AppDefinition<I, O, R> {
  const { uri = `ui://${encodeURIComponent(server)}/${encodeURIComponent(name)}.html` } = options;
  const frameDomains = [...(csp?.frameDomains ?? []), ...page.frameDomains];
  const allowed = frameDomains.length > 0 ? { ...csp, frameDomains } : csp;
  const ui: JsonObject = {
    ...(allowed && { csp: allowed }),
    ...(permissions && { permissions }),
    ...(domain !== undefined && { domain }),
    ...(prefersBorder !== undefined && { prefersBorder }),
  };
  const _meta = Object.keys(ui).length > 0 ? { ui } : undefined;
  const { title, description, _meta: own } = tool;
  const ownUi = isJsonObject(own?.ui) ? own.ui : {};
  return {
    uri,
    // Older hosts read the flat key.
    tool: {
      ...tool,
      _meta: { ...own, ui: { ...ownUi, resourceUri: uri, ...(visibility && { visibility }) }, "ui/resourceUri": uri },
    },
    resource: {
      name,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      mimeType: appMimeType,
      ...(_meta && { _meta }),
      async handler() {
        return { uri, mimeType: appMimeType, text: await page.read(), ...(_meta && { _meta }) };
      },
    },
  };
}
