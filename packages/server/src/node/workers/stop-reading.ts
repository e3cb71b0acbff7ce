// Stops a process from reading a connection that it passes to another process.
import type { Socket } from "node:net";

interface ReadableHandle {
  /** Returns 0, or the number of an error. */
  readStop?(): number;
}

/**
 * `pause` would not do: Node still reads once, and keeps what it has read. Returns false if the platform cannot do it: Windows begins to
 * read as soon as a connection is open.
 */
export function stopReading(socket: Socket): boolean {
  if (process.platform === "win32") return false;
  const { _handle: handle } = socket as { _handle?: ReadableHandle | null };
  return handle?.readStop?.() === 0;
}
