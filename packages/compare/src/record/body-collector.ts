// Collects bodies and event streams up to a limit. Content beyond the limit is only counted.
import { StringDecoder } from "node:string_decoder";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { ByteBuilder, createSseDecoder, type SseDecoder, StringBuilder } from "@lethe/protocol";
import { headerOf } from "./http-parser.ts";
import type { Header, HttpResponseRecord } from "./recording.ts";

/** Decodes a body. `push` returns the text collected so far, in blocks of 4 KiB; `end` returns the remaining text. */
export interface Collector {
  push(content: Uint8Array): string;
  end(): string;
}

export interface Bounds {
  now(): number;
  readonly maxBodyBytes: number;
  /** Bytes that may still be kept, over all bodies and events of the recording. */
  left: number;
  onLoss(reason: string): void;
}

/** Returns the part of `content` that may be kept, at most `most` bytes. */
function take(content: Uint8Array, most: number, bounds: Bounds): Buffer {
  const wanted = Math.min(content.length, most);
  const size = Math.min(wanted, bounds.left);
  if (size < wanted) bounds.onLoss("the recording is full: later bodies and events are only counted");
  bounds.left -= size;
  return Buffer.from(content.buffer, content.byteOffset, size);
}

/** Characters returned at a time: a body built from short strings would take many times its size in memory. */
const blockLength = 4 * 1024;

export function collectBody(headers: readonly Header[], bounds: Bounds): Collector {
  const coding = (headerOf(headers, "content-encoding") ?? "identity").trim().toLowerCase();
  const decode = coding === "identity" ? undefined : decoders.get(coding);
  if (coding !== "identity" && !decode) return { push: () => "", end: () => "" };
  const decoder = new StringDecoder("utf8");
  const packed = new ByteBuilder(bounds.maxBodyBytes);
  const text = new StringBuilder();
  let left = bounds.maxBodyBytes;
  return {
    push(content) {
      const kept = take(content, left, bounds);
      left -= kept.length;
      if (decode) packed.append(kept);
      else text.append(decoder.write(kept));
      return text.length < blockLength ? "" : text.take();
    },
    end() {
      if (!decode) return text.take() + decoder.end();
      if (bounds.left === 0) return "";
      try {
        const content = decode(packed.bytes(), { maxOutputLength: Math.min(bounds.maxBodyBytes, bounds.left) });
        bounds.left -= content.length;
        return content.toString();
      } catch (error) {
        bounds.onLoss(`a compressed body is only counted: ${(error as Error).message}`);
        return "";
      }
    },
  };
}

/** By name in Content-Encoding. They fail for content above the limit. */
const decoders: ReadonlyMap<string, (packed: Uint8Array, limits: { maxOutputLength: number }) => Buffer> = new Map([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
]);

/** An event stream has no length limit, only a limit per event. A compressed stream is only counted. */
export function collectEvents(
  events: NonNullable<HttpResponseRecord["events"]>,
  headers: readonly Header[],
  bounds: Bounds,
): Collector {
  const text = new StringDecoder("utf8");
  const isPacked = (headerOf(headers, "content-encoding") ?? "identity") !== "identity";
  if (isPacked) bounds.onLoss("a compressed event stream is only counted");
  let decoder: SseDecoder | undefined = isPacked ? undefined : createSseDecoder({ maxEventBytes: bounds.maxBodyBytes });
  return {
    push(content) {
      try {
        const kept = decoder ? take(content, content.length, bounds) : Buffer.alloc(0);
        for (const { event, data, id, retryMs } of decoder?.push(text.write(kept)) ?? []) {
          events.push({
            at: bounds.now(),
            event,
            data,
            ...(id !== undefined && { id }),
            ...(retryMs !== undefined && { retryMs }),
          });
        }
      } catch (error) {
        decoder = undefined;
        bounds.onLoss(`the rest of an event stream is only counted: ${(error as Error).message}`);
      }
      return "";
    },
    end: () => "",
  };
}
