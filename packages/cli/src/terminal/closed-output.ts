// A reader who has seen enough (`| head -1`) is no failure: what is left is not written, and the exit code stays what it is.
import type { Writable } from "node:stream";

/** Without this, Node ends with a stack trace. `onFailure` hears what else went wrong, such as a full disk. */
export function allowClosedOutput(outputs: readonly Writable[], onFailure: (error: Error) => void): void {
  for (const output of outputs) {
    output.on("error", (error: NodeJS.ErrnoException) => {
      if (!isClosed(error)) onFailure(error);
    });
  }
}

function isClosed({ code }: NodeJS.ErrnoException): boolean {
  return code === "EPIPE" || code === "EOF" || code === "ERR_STREAM_DESTROYED";
}
