// Ignores a closed output (`| head -1`): the rest is not written, and the exit code does not change.
import type { Writable } from "node:stream";

/** Prevents the stack trace of Node. `onFailure` receives other errors, such as a full disk. */
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
