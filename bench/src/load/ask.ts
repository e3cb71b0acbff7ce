// Sends one HTTP request and reads the response, for checks before and after load and for cold starts.
import { openSocket, readResponses } from "./socket.ts";

export interface Answer {
  status: number;
  body: string;
}

export async function ask(port: number, request: Buffer): Promise<Answer> {
  const socket = await openSocket(port);
  try {
    return await new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      const body = (piece: Buffer): void => void pieces.push(piece);
      const end = (status: number): void => resolve({ status, body: Buffer.concat(pieces).toString() });
      readResponses(socket, { body, end }, reject);
      socket.write(request);
    });
  } finally {
    socket.destroy();
  }
}
