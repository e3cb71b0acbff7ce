// A keep-alive HTTP/1.1 connection to a contender.
import { connect, type Socket } from "node:net";
import { createResponseReader, type ResponseEvents } from "./response-reader.ts";

export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

/** Calls `fail` when the connection ends or receives invalid HTTP, also after the load. */
export function readResponses(socket: Socket, events: ResponseEvents, fail: (error: Error) => void): void {
  const read = createResponseReader(events);
  socket.on("data", (data: Buffer) => {
    try {
      read(data);
    } catch (error) {
      fail(error as Error);
    }
  });
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the server closed a connection")));
}
