// Functions that create content blocks (E-68). Bytes are encoded as base64; a string must be base64 already.

import {
  type Annotations,
  type AudioContent,
  type ContentBlock,
  checkOptions,
  type EmbeddedResource,
  type Icon,
  type ImageContent,
  isJsonObject,
  type JsonObject,
  type KnownOptions,
  type ResourceLink,
  type TextContent,
} from "@lethe/protocol";
import { toBase64 } from "./base64.ts";

export interface BlockOptions {
  annotations?: Annotations;
  _meta?: JsonObject;
}

const knownBlockOptions: KnownOptions<BlockOptions> = { annotations: true, _meta: true };

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

const knownLinkOptions: KnownOptions<LinkOptions> = {
  ...knownBlockOptions,
  name: true,
  title: true,
  description: true,
  mimeType: true,
  size: true,
  icons: true,
};

export interface EmbeddedOptions extends BlockOptions {
  mimeType?: string;
}

const knownEmbeddedOptions: KnownOptions<EmbeddedOptions> = { ...knownBlockOptions, mimeType: true };

/**
 * Creates a text block.
 *
 * @example
 * import { text } from "@lethe/server";
 *
 * console.log(text("Hello!")); // { type: 'text', text: 'Hello!' }
 */
export function text(value: string, options?: BlockOptions): TextContent {
  checkOptions("text", options, knownBlockOptions);
  return { type: "text", text: value, ...options };
}

/**
 * Creates an image block. Bytes are encoded as base64; a string must be base64 already.
 *
 * @example
 * import { image } from "@lethe/server";
 *
 * console.log(image(new Uint8Array([255, 0]), "image/png")); // { type: 'image', data: '/wA=', mimeType: 'image/png' }
 */
export function image(data: Uint8Array | string, mimeType: string, options?: BlockOptions): ImageContent {
  checkOptions("image", options, knownBlockOptions);
  return { type: "image", data: toData(data), mimeType, ...options };
}

/**
 * Creates an audio block. Bytes are encoded as base64; a string must be base64 already.
 *
 * @example
 * import { audio } from "@lethe/server";
 *
 * console.log(audio("/wA=", "audio/wav")); // { type: 'audio', data: '/wA=', mimeType: 'audio/wav' }
 */
export function audio(data: Uint8Array | string, mimeType: string, options?: BlockOptions): AudioContent {
  checkOptions("audio", options, knownBlockOptions);
  return { type: "audio", data: toData(data), mimeType, ...options };
}

/**
 * Creates a block that embeds a resource in the result: a string as text, bytes as base64.
 *
 * @example
 * import { embedded } from "@lethe/server";
 *
 * console.log(embedded("file:///a.txt", "Hello!").resource); // { uri: 'file:///a.txt', text: 'Hello!' }
 */
export function embedded(uri: string, contents: string | Uint8Array, options: EmbeddedOptions = {}): EmbeddedResource {
  checkOptions("embedded", options, knownEmbeddedOptions);
  const { mimeType, ...block } = options;
  const media = mimeType === undefined ? {} : { mimeType };
  const resource =
    typeof contents === "string" ? { uri, ...media, text: contents } : { uri, ...media, blob: toBase64(contents) };
  return { type: "resource", resource, ...block };
}

/**
 * Creates a block that links to a resource, which the client may read. `name` defaults to the URI.
 *
 * @example
 * import { link } from "@lethe/server";
 *
 * console.log(link("file:///a.txt").name); // file:///a.txt
 */
export function link(uri: string, options: LinkOptions = {}): ResourceLink {
  checkOptions("link", options, knownLinkOptions);
  return { type: "resource_link", uri, name: uri, ...options };
}

/** Whether a value is a content block. */
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
