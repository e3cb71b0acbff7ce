// The fingerprint of a handler version. A journal is replayed only by the version that wrote it.
import type { JsonObject } from "@lethe/protocol";
import type { Feature } from "../features/feature.ts";
import { digestOf } from "../seal/digest.ts";

/** One per tool, prompt or resource; the same on all machines that run the same code. */
export interface HandlerFingerprint {
  /** Computed on the first call. */
  text(): Promise<string>;
}

/**
 * A digest of the input schema and the declared version. A handler that requests input differently needs a new
 * version; otherwise pending calls fail at the first different request.
 */
export function createHandlerFingerprint(handler: { inputSchema?: JsonObject; version?: string }): HandlerFingerprint {
  const { inputSchema = null, version = null } = handler;
  let text: Promise<string> | undefined;
  return {
    text() {
      text ??= digestOf([inputSchema, version]);
      return text;
    },
  };
}

/** Remembers one fingerprint per feature, computed when its handler first requests input. */
export function createHandlerFingerprints(): (feature: Feature) => HandlerFingerprint {
  const marks = new WeakMap<Feature, HandlerFingerprint>();
  return (feature) => {
    const known = marks.get(feature);
    if (known) return known;
    const { inputSchema, version } = feature;
    const mark = createHandlerFingerprint({
      ...(inputSchema && { inputSchema }),
      ...(version !== undefined && { version }),
    });
    marks.set(feature, mark);
    return mark;
  };
}
