// Keeps undici from throwing an AssertionError in a socket's listener, which ends the process: its parser cannot finish while it is paused.
import type { Socket } from "node:net";

/** The response that its socket delivers at present. */
export interface PausableResponse {
  readonly isPaused: boolean;
  /** Resumes it for good. */
  finish(): void;
}

/**
 * Guards a new socket before undici listens to it. The body of a response without a length ends with its connection, at any time, so also
 * while its reader has paused it.
 */
export function guardPaused(socket: Socket, current: () => PausableResponse | undefined): void {
  // All bytes of the socket were parsed before this event, so the reader gets nothing more than the end.
  socket.on("end", () => current()?.finish());
  socket.on("error", (error: NodeJS.ErrnoException) => {
    // With the code ECONNRESET, undici takes such a body as complete.
    if (error.code === "ECONNRESET" && current()?.isPaused) error.code = "UND_ERR_SOCKET";
  });
}
