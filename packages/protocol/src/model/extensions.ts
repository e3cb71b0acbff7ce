// The extensions that the project knows, each described once: its id, and what a gateway does with it. Unknown extensions are passed on.
import type { JsonObject } from "../jsonrpc/message.ts";

/** Declared under `capabilities.extensions` by both sides, with settings `{}`. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** MCP Apps: servers offer user interfaces as `ui://` resources, and name them in the `_meta.ui` of tools. */
export const appsExtension = "io.modelcontextprotocol/ui";

/** Skills: servers offer folders of instructions as resources, with the methods `skills/list`, `skills/get` and `resources/directory/read`. */
export const skillsExtension = "io.modelcontextprotocol/skills";

declare const notificationTypes: unique symbol;

/**
 * What a client or a server declares of an extension, under `capabilities.extensions`. `Notifications` are the types of the params of its
 * notifications, by name.
 */
export interface ExtensionDeclaration<Notifications extends object = object> {
  /** Reverse DNS, a slash, a name: `com.example/reports`. */
  readonly id: string;
  /** Default: `{}`, which declares support without settings. */
  readonly settings?: JsonObject;
  /** Never set: it carries the types to the compiler. */
  readonly [notificationTypes]?: Notifications;
}

/**
 * What a gateway does with an extension. implements: handles it at both sides by itself. ends: keeps it, because it describes the connection
 * to the gateway. merges: passes it on for any number of servers behind one endpoint, because it only adds members to what lists contain, or
 * because the gateway merges its lists. passes: passes it on, at an endpoint of several servers if one of them offers it.
 */
export type AtGateway = "implements" | "ends" | "merges" | "passes";

const table: ReadonlyMap<string, AtGateway> = new Map<string, AtGateway>([
  [tasksExtension, "implements"],
  [appsExtension, "merges"],
  [skillsExtension, "merges"],
  // They describe how a client obtains tokens for the server that it talks to.
  ["io.modelcontextprotocol/oauth-client-credentials", "ends"],
  ["io.modelcontextprotocol/enterprise-managed-authorization", "ends"],
]);

/** What a gateway does with an extension. */
export function atGateway(id: string): AtGateway {
  return table.get(id) ?? "passes";
}
