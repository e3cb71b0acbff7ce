// MCP Apps on the server: the extension, and `server.app`, which defines a tool together with its user interface.
import { appsExtension, isJsonObject, type Tool } from "@lethe/protocol";
import { appMimeType } from "./apps/app-definition.ts";
import type { ServerExtension } from "./server-extension.ts";

/**
 * The extension MCP Apps. `server.app` uses it by itself; a server that defines its resources and tools one by one passes it to `server.use`.
 * Tools that only apps may call (`visibility: ["app"]`) are listed only to clients that declare the extension.
 *
 * @example
 * import { createServer } from "@lethe/server";
 * import { apps } from "@lethe/server/extensions";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" });
 * server.use(apps());
 */
export function apps(): ServerExtension {
  return {
    id: appsExtension,
    settings: { mimeTypes: [appMimeType] },
    listTools: (tools, { isDeclared }) => (isDeclared ? tools : tools.filter(isForModels)),
  };
}

function isForModels({ _meta }: Tool): boolean {
  const visibility = isJsonObject(_meta) && isJsonObject(_meta.ui) ? _meta.ui.visibility : undefined;
  return !Array.isArray(visibility) || visibility.includes("model");
}
