// Content blocks in one call each (E-68). Bytes are encoded here; a string is taken as base64 already.
import {
  type Annotations,
  type AudioContent,
  type ContentBlock,
  type EmbeddedResource,
  type Icon,
  type ImageContent,
  isJsonObject,
  type JsonObject,
  type ResourceLink,
  type TextContent,
} from "@lethe/protocol";
import { toBase64 } from "./base64.ts";

export interface BlockOptions {
  annotations?: Annotations;
  _meta?: JsonObject;
}

export interface LinkOptions extends BlockOptions {
  /** The URI when absent. */
  name?: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** bytes */
  size?: number;
  icons?: Icon[];
}

export interface EmbeddedOptions extends BlockOptions {
  mimeType?: string;
}

export function text(value: string, options?: BlockOptions): TextContent {
  return { type: "text", text: value, ...options };
}

export function image(data: Uint8Array | string, mimeType: string, options?: BlockOptions): ImageContent {
  return { type: "image", data: toData(data), mimeType, ...options };
}

export function audio(data: Uint8Array | string, mimeType: string, options?: BlockOptions): AudioContent {
  return { type: "audio", data: toData(data), mimeType, ...options };
}

/** A resource in the result itself: a string is its text, bytes are its blob. */
export function embedded(uri: string, contents: string | Uint8Array, options: EmbeddedOptions = {}): EmbeddedResource {
  const { mimeType, ...block } = options;
  const media = mimeType === undefined ? {} : { mimeType };
  const resource =
    typeof contents === "string" ? { uri, ...media, text: contents } : { uri, ...media, blob: toBase64(contents) };
  return { type: "resource", resource, ...block };
}

/** A resource that the client may read. */
export function link(uri: string, options: LinkOptions = {}): ResourceLink {
  return { type: "resource_link", uri, name: uri, ...options };
}

/** True for a value that can only be meant as a content block. */
export function isContentBlock(value: unknown): value is ContentBlock {
  if (!isJsonObject(value)) return false;
  switch (value.type) {
    case "text":
      return typeof value.text === "string";
    case "image":
    case "audio":
      return typeof value.data === "string" && typeof value.mimeType === "string";
    case "resource_link":
      return typeof value.uri === "string" && typeof value.name === "string";
    case "resource":
      return isJsonObject(value.resource) && typeof value.resource.uri === "string";
    default:
      return false;
  }
}

function toData(data: Uint8Array | string): string {
  return typeof data === "string" ? data : toBase64(data);
}
