// Starts thousands of tasks, and polls each until its result is available.
import type { Socket } from "node:net";
import { openSocket, readResponses } from "./socket.ts";
import { getTaskCall, type Message, taskCall, toHttpRequest } from "./wire.ts";

const connections = 32;

/** Starts this many tasks and returns their ids. Rejects if a response is not a task. */
export async function beginTasks(port: number, count: number): Promise<string[]> {
  const calls = Array.from({ length: count }, (_, index) => taskCall(index + 1));
  const answers = await postAll(port, calls);
  return answers.map(({ result }) => result?.taskId ?? fail("a task", result));
}

/** Rejects if a task does not complete. */
export async function awaitTasks(port: number, taskIds: readonly string[]): Promise<void> {
  for (let open = [...taskIds]; open.length > 0; ) {
    const answers = await postAll(
      port,
      open.map((taskId, index) => getTaskCall(index + 1, taskId)),
    );
    const wrong = answers.find(({ result }) => result?.status !== "working" && result?.status !== "completed");
    if (wrong) fail("a task", wrong);
    open = open.filter((_, index) => answers[index]?.result?.status === "working");
  }
}

/** Returns the responses in the order of the messages. Sends a few messages concurrently. */
async function postAll(port: number, messages: readonly Message[]): Promise<Message[]> {
  const answers: Message[] = [];
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(port)));
  let next = 0;

  function drive(socket: Socket): Promise<void> {
    return new Promise((resolve, reject) => {
      let place = 0;
      let pieces: Buffer[] = [];
      const send = (): void => {
        place = next;
        next += 1;
        const message = messages[place];
        pieces = [];
        if (message) socket.write(toHttpRequest("modern", message));
        else resolve();
      };
      const end = (status: number): void => {
        const text = Buffer.concat(pieces).toString();
        if (status !== 200) throw new Error(`answered ${status} under load: ${text.slice(0, 200)}`);
        answers[place] = JSON.parse(text);
        send();
      };
      readResponses(socket, { body: (piece) => void pieces.push(piece), end }, reject);
      send();
    });
  }

  try {
    await Promise.all(sockets.map(drive));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  return answers;
}

function fail(due: string, came: unknown): never {
  throw new Error(`expected ${due}, got ${JSON.stringify(came)?.slice(0, 200)}`);
}
