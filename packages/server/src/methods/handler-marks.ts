// One mark per feature, made when its handler first waits for input.
import type { Feature } from "../features/feature.ts";
import { createHandlerMark, type HandlerMark } from "../interaction/handler-mark.ts";

export function createHandlerMarks(): (feature: Feature) => HandlerMark {
  const marks = new WeakMap<Feature, HandlerMark>();
  return (feature) => {
    const known = marks.get(feature);
    if (known) return known;
    const { inputSchema, version } = feature;
    const mark = createHandlerMark({ ...(inputSchema && { inputSchema }), ...(version !== undefined && { version }) });
    marks.set(feature, mark);
    return mark;
  };
}
