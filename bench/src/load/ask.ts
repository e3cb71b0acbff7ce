// Sends one HTTP request and reads the response, for checks before and after load and for cold starts.
import { openSocket, readResponses } from "./socket.ts";

export interface Answer {
  status: number;
  /** The status line and the headers. */
  head: string;
  body: string;
}

export async function ask(port: number, request: Buffer): Promise<Answer> {
  const socket = await openSocket(port);
  try {
    return await new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      let head = "";
      const body = (piece: Buffer): void => void pieces.push(piece);
      const end = (status: number): void => resolve({ status, head, body: Buffer.concat(pieces).toString() });
      readResponses(socket, { head: (received) => (head = received), body, end }, reject);
      socket.write(request);
    });
  } finally {
    socket.destroy();
  }
}
