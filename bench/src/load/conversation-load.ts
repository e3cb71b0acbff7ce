// Closed-loop load of calls with an elicitation: each connection calls, answers the input request, and starts again.
import type { Socket } from "node:net";
import type { LoadResult } from "./http-load.ts";
import { openSocket, readResponses } from "./socket.ts";
import { answeredCall, askingCall, type Message, nameFor, toHttpRequest } from "./wire.ts";

export interface ConversationLoad {
  port: number;
  connections: number;
  seconds: number;
}

/** Counts rounds, two per call. Rejects on the first wrong response. */
export async function runConversations({ port, connections, seconds }: ConversationLoad): Promise<LoadResult> {
  const latencies: number[] = [];
  let id = 0;
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(port)));
  const started = performance.now();
  const deadline = started + seconds * 1000;

  function drive(socket: Socket): Promise<void> {
    return new Promise((resolve, reject) => {
      let sent = 0;
      let pieces: Buffer[] = [];
      let isAsked = false;
      const send = (message: Message): void => {
        sent = performance.now();
        pieces = [];
        socket.write(toHttpRequest("modern", message));
      };
      const end = (status: number): void => {
        const now = performance.now();
        latencies.push(now - sent);
        const text = Buffer.concat(pieces).toString();
        if (status !== 200) throw new Error(`answered ${status} under load: ${text.slice(0, 200)}`);
        const answer = JSON.parse(text) as Message;
        if (!isAsked) {
          isAsked = true;
          send(answeredCall(++id, answer, nameFor(id)));
          return;
        }
        isAsked = false;
        if (!text.includes(`Hello, ${nameFor(Number(answer.id))}!`)) throw new Error(`wrong: ${text.slice(0, 200)}`);
        if (now < deadline) send(askingCall(++id));
        else resolve();
      };
      readResponses(socket, { body: (piece) => void pieces.push(piece), end }, reject);
      send(askingCall(++id));
    });
  }

  try {
    await Promise.all(sockets.map(drive));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  const elapsed = performance.now() - started;
  return { count: latencies.length, seconds: elapsed / 1000, latencies: Float64Array.from(latencies).sort() };
}
