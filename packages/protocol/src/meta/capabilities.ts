// Who the two sides say they are and what they say they can do. Open sets: unknown members are kept.
import type { JsonObject } from "../jsonrpc/message.ts";

export interface Icon {
  src: string;
  mimeType?: string;
  sizes?: string[];
  theme?: "light" | "dark";
}

export interface Implementation {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: Icon[];
}

export interface ClientCapabilities {
  experimental?: JsonObject;
  roots?: JsonObject;
  sampling?: { context?: JsonObject; tools?: JsonObject };
  elicitation?: { form?: JsonObject; url?: JsonObject };
  extensions?: { [id: string]: JsonObject };
}

export interface ServerCapabilities {
  experimental?: JsonObject;
  logging?: JsonObject;
  completions?: JsonObject;
  prompts?: { listChanged?: boolean };
  resources?: { subscribe?: boolean; listChanged?: boolean };
  tools?: { listChanged?: boolean };
  extensions?: { [id: string]: JsonObject };
}

export type ElicitationMode = "form" | "url";

/** E-85: `elicitation: {}` means form only. */
export function canElicit(capabilities: ClientCapabilities, mode: ElicitationMode): boolean {
  const declared = capabilities.elicitation;
  if (!declared) return false;
  if (mode === "url") return declared.url !== undefined;
  return declared.form !== undefined || declared.url === undefined;
}
