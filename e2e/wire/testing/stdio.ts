// Replaces the module of this name in tests: validates the lines that a client writes to a server process.
import type { ServerProcess } from "../../../packages/client/src/node/spawn.ts";
import {
  createStdioWire as createWire,
  knownStdioOptions,
  type StdioOptions,
  type StdioWire,
} from "../../../packages/client/src/node/stdio.ts";
import { createTranscript } from "./transcript.ts";

export type { StdioOptions, StdioWire };
export { knownStdioOptions };

export function createStdioWire(server: ServerProcess, options?: StdioOptions): StdioWire {
  const wire = createWire(server, options);
  const transcript = createTranscript("client", () => undefined);
  let listener = wire.onMessage;
  wire.onMessage = (message) => {
    transcript.heard(message);
    listener(message);
  };
  return {
    peer: wire.peer,
    closed: wire.closed,
    close: () => wire.close(),
    send(message) {
      transcript.wrote(message);
      return wire.send(message);
    },
    get onMessage() {
      return listener;
    },
    set onMessage(listen) {
      listener = listen;
    },
    set onInvalid(listen: NonNullable<StdioWire["onInvalid"]>) {
      wire.onInvalid = listen;
    },
    get junkLines() {
      return wire.junkLines;
    },
  };
}
