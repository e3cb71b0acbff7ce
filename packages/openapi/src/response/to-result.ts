// Turns a response of the API into the result of a tool.
import type { ContentBlock, StandardResult } from "@lethe/protocol";
import { audio, embedded, type FullToolResult, image, ToolError, text } from "@lethe/server";
import { type ReadBody, readBody } from "../spec/read-body.ts";

export interface ResultOptions {
  /** Bytes of a body. */
  readonly maxBytes: number;
  /** Texts that must not appear in an error. */
  readonly secrets: readonly string[];
  /** The URL without its query, which may contain a credential. */
  readonly uri: string;
  /** Checks the JSON of a successful response. Undefined without an output schema. */
  readonly check: ((value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>) | undefined;
}

/** Bytes of the body of an error that the caller sees. */
const maxErrorBytes = 4_096;

/** Rejects with ToolError for a body beyond the limit. */
export async function toResult(response: Response, options: ResultOptions): Promise<FullToolResult> {
  if (!response.ok) return toErrorResult(response, options.secrets);
  const { maxBytes, check, uri } = options;
  const { bytes, isComplete } = await received(response, maxBytes);
  if (!isComplete) throw new ToolError(`the response of the API is longer than ${maxBytes} bytes: ask for less`);
  const [mediaType, charset] = mediaTypeOf(response);
  if (bytes.length === 0) {
    const empty = [text(`The API answered ${response.status} without a body.`)];
    return check ? mismatch(empty, "it is empty") : { content: empty };
  }
  const isJson = /^application\/(?:[\w.+-]+\+)?json$/.test(mediaType);
  if (!isJson && !check) return { content: [toBlock(bytes, mediaType, charset, uri)] };
  const body = decode(bytes, charset);
  return toJsonResult(body, isJson ? parsed(body) : undefined, check);
}

async function toJsonResult(body: string, value: unknown, check: ResultOptions["check"]): Promise<FullToolResult> {
  const content = [text(body)];
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!check) return isObject ? { content, structuredContent: value } : { content };
  const checked = await check(value);
  if (checked.issues === undefined) return { content, structuredContent: checked.value };
  const [issue] = checked.issues;
  return mismatch(content, `${(issue?.path ?? []).map(String).join(".")} ${issue?.message ?? ""}`.trim());
}

/** A result with an output schema must have structured content that matches, so this one is an error with the body. */
function mismatch(content: ContentBlock[], issue: string): FullToolResult {
  const note = text(`The request succeeded, but the response does not match the schema of the API: ${issue}.`);
  return { isError: true, content: [note, ...content] };
}

async function toErrorResult(response: Response, secrets: readonly string[]): Promise<FullToolResult> {
  const { bytes, isComplete } = await received(response, maxErrorBytes);
  const [mediaType, charset] = mediaTypeOf(response);
  const isText = /^(?:$|text\/|application\/(?:[\w.+-]+\+)?(?:json|xml)$)/.test(mediaType);
  const whole = isText ? masked(decode(bytes, charset), secrets) : "";
  // The end of an incomplete body may be the beginning of a secret.
  const longest = Math.max(0, ...secrets.map((secret) => secret.length));
  const body = isComplete ? whole : whole.slice(0, -longest || undefined);
  const status = `The API answered ${response.status}${body === "" ? "." : ":"}`;
  return { isError: true, content: [text([status, body, isComplete ? "" : "…"].filter(Boolean).join("\n"))] };
}

async function received(response: Response, maxBytes: number): Promise<ReadBody> {
  try {
    return await readBody(response, maxBytes);
  } catch (cause) {
    throw new ToolError("the response of the API ended too early", { cause });
  }
}

function masked(body: string, secrets: readonly string[]): string {
  return secrets.filter(Boolean).reduce((shown, secret) => shown.replaceAll(secret, "***"), body);
}

function toBlock(bytes: Uint8Array, mediaType: string, charset: string | undefined, uri: string): ContentBlock {
  if (/^text\/|^application\/(?:[\w.+-]+\+)?(?:xml|yaml|x-yaml|javascript)$/.test(mediaType)) {
    return text(decode(bytes, charset));
  }
  if (mediaType.startsWith("image/")) return image(bytes, mediaType);
  if (mediaType.startsWith("audio/")) return audio(bytes, mediaType);
  return embedded(uri, bytes, { mimeType: mediaType || "application/octet-stream" });
}

function mediaTypeOf(response: Response): [mediaType: string, charset: string | undefined] {
  const header = response.headers.get("content-type") ?? "";
  const [mediaType = ""] = header.split(";", 1);
  return [mediaType.trim().toLowerCase(), /charset="?([\w-]+)/i.exec(header)?.[1]];
}

/** An unknown charset is read as UTF-8. */
function decode(bytes: Uint8Array, charset = "utf-8"): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
