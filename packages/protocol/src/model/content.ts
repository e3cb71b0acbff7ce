// Content blocks (E-68) and their annotations (E-80), shared by tools, prompts and sampling.
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Icon } from "../meta/capabilities.ts";

/** The author of a message. */
export type Role = "user" | "assistant";

/** Hints about the use of content. */
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

/** Text. */
export interface TextContent extends BlockBase {
  type: "text";
  text: string;
}

/** An image. */
export interface ImageContent extends BlockBase {
  type: "image";
  /** Base64. */
  data: string;
  mimeType: string;
}

/** Audio. */
export interface AudioContent extends BlockBase {
  type: "audio";
  /** Base64. */
  data: string;
  mimeType: string;
}

/** A link to a resource, which the client may read. */
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

/** A resource with its contents. */
export interface EmbeddedResource extends BlockBase {
  type: "resource";
  resource: ResourceContents;
}

/** A block of content. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** Contents of a text resource. */
export interface TextResourceContents {
  uri: string;
  mimeType?: string;
  text: string;
  _meta?: JsonObject;
}

/** Contents of a binary resource. */
export interface BlobResourceContents {
  uri: string;
  mimeType?: string;
  /** Base64. */
  blob: string;
  _meta?: JsonObject;
}

/** Contents of a resource. */
export type ResourceContents = TextResourceContents | BlobResourceContents;
