// Writes the body of a request.
import { isJsonObject } from "@lethe/protocol";
import { ToolError } from "@lethe/server";
import type { RequestBody } from "../operations/operation.ts";
import { toPairs } from "./serialize.ts";

export interface WrittenBody {
  /** Undefined without a body, and for multipart, whose boundary fetch adds. */
  readonly contentType?: string;
  readonly body: string | FormData | undefined;
}

/** Throws ToolError for a form that is not an object. */
export function toBody(format: RequestBody | undefined, value: unknown): WrittenBody {
  if (!format || value === undefined) return { body: undefined };
  const { kind, mediaType, encoding } = format;
  if (kind === "json") return { contentType: mediaType, body: JSON.stringify(value) };
  if (!isJsonObject(value)) throw new ToolError("body: an object expected");
  if (kind === "multipart") return { body: toMultipart(value) };
  const plain = { style: "form", explode: true, allowReserved: false } as const;
  const pairs = Object.entries(value).flatMap(([name, member]) => {
    if (member === null || member === undefined) return [];
    // Without a style of its own, an object is written as JSON.
    const serialization = encoding.get(name) ?? (isJsonObject(member) ? { ...plain, style: "json" as const } : plain);
    return toPairs(name, member, serialization);
  });
  return { contentType: mediaType, body: pairs.map(([name, text]) => `${name}=${text}`).join("&") };
}

/** An array becomes a part for each item. Objects are written as JSON. */
function toMultipart(value: object): FormData {
  const form = new FormData();
  for (const [name, member] of Object.entries(value)) {
    for (const item of Array.isArray(member) ? member : [member]) {
      if (item === null || item === undefined) continue;
      form.append(name, typeof item === "string" ? item : JSON.stringify(item));
    }
  }
  return form;
}
