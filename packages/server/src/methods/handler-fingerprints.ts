// One fingerprint per feature, computed when its handler first requests input.
import type { Feature } from "../features/feature.ts";
import { createHandlerFingerprint, type HandlerFingerprint } from "../interaction/handler-fingerprint.ts";

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
