// Opens many subscriptions/listen streams and measures when the last of them receives a change.
import type { Socket } from "node:net";
import { openSocket, readResponses } from "./socket.ts";
import { listenCall, toHttpRequest } from "./wire.ts";

export interface ListenStreams {
  /** Resolves when every stream has one more change than at the last call, with performance.now() of the last. */
  nextChange(): Promise<number>;
  /** Stops reading all streams. */
  pause(): void;
  close(): void;
}

const acknowledged = "notifications/subscriptions/acknowledged";
const changed = "notifications/tools/list_changed";
/** Kept bytes of a stream, to find a name that arrives in two chunks. */
const tailLength = 256;
/** Streams that open concurrently: fewer than the backlog of a listening socket. */
const batch = 100;

/** Resolves when the server has acknowledged all of them. Rejects when one ends. */
export async function openListenStreams(port: number, count: number): Promise<ListenStreams> {
  const sockets: Socket[] = [];
  let fail: (error: Error) => void = () => {};
  const broken = new Promise<never>((_, reject) => {
    fail = reject;
  });
  broken.catch(() => {});
  let heard = 0;
  let target = 0;
  let onTarget: () => void = () => {};

  async function openOne(id: number): Promise<void> {
    const socket = await openSocket(port);
    sockets.push(socket);
    await new Promise<void>((resolve) => {
      let text = "";
      const body = (piece: Buffer): void => {
        text += piece.toString("latin1");
        if (text.includes(acknowledged)) resolve();
        if (text.includes(changed)) {
          text = "";
          heard += 1;
          if (heard === target) onTarget();
        }
        text = text.slice(-tailLength);
      };
      const end = (status: number): void =>
        fail(new Error(`a stream ended with status ${status}: ${text.slice(0, 200)}`));
      readResponses(socket, { body, end }, fail);
      socket.write(toHttpRequest("modern", listenCall(id)));
    });
  }

  for (let opened = 0; opened < count; opened += batch) {
    const size = Math.min(batch, count - opened);
    await Promise.race([broken, Promise.all(Array.from({ length: size }, (_, index) => openOne(opened + index + 1)))]);
  }
  return {
    nextChange() {
      target = heard + count;
      const all = new Promise<number>((resolve) => {
        onTarget = () => resolve(performance.now());
      });
      return Promise.race([broken, all]);
    },
    pause() {
      for (const socket of sockets) socket.pause();
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
