// Identities and capabilities of clients and servers. Unknown members are kept.
import type { JsonObject } from "../jsonrpc/message.ts";

/** An icon for display. `src` is a URL or a data URI. */
export interface Icon {
  src: string;
  mimeType?: string;
  sizes?: string[];
  theme?: "light" | "dark";
}

/** The name and version of a client or a server, for display and logs. */
export interface Implementation {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: Icon[];
}

/** The features that a client declares. */
export interface ClientCapabilities {
  experimental?: JsonObject;
  roots?: JsonObject;
  sampling?: { context?: JsonObject; tools?: JsonObject };
  elicitation?: { form?: JsonObject; url?: JsonObject };
  extensions?: { [id: string]: JsonObject };
}

/** The features that a server declares. */
export interface ServerCapabilities {
  experimental?: JsonObject;
  logging?: JsonObject;
  completions?: JsonObject;
  prompts?: { listChanged?: boolean };
  resources?: { subscribe?: boolean; listChanged?: boolean };
  tools?: { listChanged?: boolean };
  extensions?: { [id: string]: JsonObject };
}

/** The kind of an elicitation. */
export type ElicitationMode = "form" | "url";

// E-85
// E-85
/** True if the client can show this kind of elicitation. `elicitation: {}` means forms only. */
export function canElicit(capabilities: ClientCapabilities, mode: ElicitationMode): boolean {
  const declared = capabilities.elicitation;
  if (!declared) return false;
  if (mode === "url") return declared.url !== undefined;
  return declared.form !== undefined || declared.url === undefined;
}
