// What is kept of bodies and event streams, within bounds: the rest crosses too, and is counted.
import { StringDecoder } from "node:string_decoder";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { ByteBuilder, createSseDecoder, type SseDecoder, StringBuilder } from "@lethe/protocol";
import { headerOf } from "./http-parser.ts";
import type { Header, HttpResponseRecord } from "./recording.ts";

/** Returns the text of a body: at a piece what has come since, now and then, and at the end the rest. */
export interface Collector {
  push(content: Uint8Array): string;
  end(): string;
}

export interface Bounds {
  now(): number;
  readonly maxBodyBytes: number;
  /** Of everything that may still be kept. */
  left: number;
  onLoss(what: string): void;
}

/** As much of a piece as may be kept. */
function take(content: Uint8Array, most: number, bounds: Bounds): Buffer {
  const wanted = Math.min(content.length, most);
  const size = Math.min(wanted, bounds.left);
  if (size < wanted) bounds.onLoss("there is more than is kept: the later bodies and events are only counted");
  bounds.left -= size;
  return Buffer.from(content.buffer, content.byteOffset, size);
}

/** So many characters are given at a time: a body of short strings would cost many times its size. */
const worthGiving = 4 * 1024;

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
      return text.length < worthGiving ? "" : text.take();
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

/** By their names in Content-Encoding. What is larger than its bound is not unpacked. */
const decoders: ReadonlyMap<string, (packed: Uint8Array, limits: { maxOutputLength: number }) => Buffer> = new Map([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
]);

/** A stream may go on for ever: only each of its events has a bound. A compressed one is counted. */
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
