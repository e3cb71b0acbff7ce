// Replaces the module of this name in tests: validates each line that a server writes.
import type { Servable } from "../../../packages/server/src/http/servable.ts";
import type { Sink } from "../../../packages/server/src/stdio/line-writer.ts";
import {
  createStdioEdge as createEdge,
  knownStdioOptions,
  type StdioEdge,
  type StdioOptions,
} from "../../../packages/server/src/stdio/stdio-edge.ts";
import { createTranscript } from "./transcript.ts";
import { isWatched } from "./watch-http-io.ts";

export type { StdioEdge, StdioOptions };
export { knownStdioOptions };

export function createStdioEdge(servable: Servable, sink: Sink, options?: StdioOptions): StdioEdge {
  if (!isWatched(servable)) return createEdge(servable, sink, options);
  const transcript = createTranscript("server", () => undefined);
  const watchedSink: Sink = {
    ...sink,
    write(text) {
      for (const line of text.split("\n")) if (line !== "") transcript.wrote(JSON.parse(line));
      return sink.write(text);
    },
  };
  const edge = createEdge(servable, watchedSink, options);
  return {
    ...edge,
    receiveLine(line) {
      transcript.heard(parse(line));
      edge.receiveLine(line);
    },
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
