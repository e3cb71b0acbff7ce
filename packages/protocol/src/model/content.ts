// Content blocks (E-68) and their annotations (E-80), shared by tools, prompts and sampling.
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Icon } from "../meta/capabilities.ts";

export type Role = "user" | "assistant";

export interface Annotations {
  audience?: Role[];
  /** From 0 (optional) to 1 (required). */
  priority?: number;
  /** ISO 8601. */
  lastModified?: string;
}

interface BlockBase {
  annotations?: Annotations;
  _meta?: JsonObject;
}

export interface TextContent extends BlockBase {
  type: "text";
  text: string;
}

export interface ImageContent extends BlockBase {
  type: "image";
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface AudioContent extends BlockBase {
  type: "audio";
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface ResourceLink extends BlockBase {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** Bytes. */
  size?: number;
  icons?: Icon[];
}

export interface EmbeddedResource extends BlockBase {
  type: "resource";
  resource: ResourceContents;
}

export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

export interface TextResourceContents {
  uri: string;
  mimeType?: string;
  text: string;
  _meta?: JsonObject;
}

export interface BlobResourceContents {
  uri: string;
  mimeType?: string;
  /** Base64. */
  blob: string;
  _meta?: JsonObject;
}

export type ResourceContents = TextResourceContents | BlobResourceContents;
