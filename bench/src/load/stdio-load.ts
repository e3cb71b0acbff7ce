// Closed-loop load over stdin and stdout with a fixed number of requests in flight: a new one follows each response.
import type { Child } from "../measure/child.ts";
import type { LoadResult } from "./http-load.ts";
import { type Message, messagesOf } from "./wire.ts";

export interface LineChannel {
  /** Rejects when the process ends. */
  died: Promise<never>;
  send(lines: string): void;
  /** Calls the listener with the number of lines in each chunk of output. */
  onLines(listener: (count: number) => void): void;
  /** The next response. Do not use under load. */
  readAnswer(): Promise<Message>;
}

const lineFeed = 0x0a;

export function openLineChannel(child: Child): LineChannel {
  let listener: (count: number) => void = () => {};
  let onText: ((text: string) => void) | undefined;
  child.process.stdout.on("data", (data: Buffer) => {
    let count = 0;
    for (let at = data.indexOf(lineFeed); at >= 0; at = data.indexOf(lineFeed, at + 1)) count += 1;
    onText?.(data.toString());
    if (count > 0) listener(count);
  });
  return {
    died: child.died,
    send: (lines) => child.process.stdin.write(lines),
    onLines(hears) {
      listener = hears;
    },
    readAnswer() {
      const answered = new Promise<Message>((resolve) => {
        let text = "";
        onText = (more) => {
          text += more;
          const lines = text.split("\n");
          const answer = lines
            .slice(0, -1)
            .flatMap(messagesOf)
            .find((message) => typeof message.id === "number");
          if (answer) resolve(answer);
        };
      });
      return Promise.race([answered, child.died]).finally(() => {
        onText = undefined;
      });
    },
  };
}

export interface StdioLoad {
  channel: LineChannel;
  /** The next request, with its line end; ids must not repeat among those in flight. */
  line: () => string;
  inFlight: number;
  seconds: number;
}

/** Measures latencies only with one request in flight, because it does not match responses with requests. */
export async function runStdioLoad({ channel, line, inFlight, seconds }: StdioLoad): Promise<LoadResult> {
  const latencies: number[] = [];
  const started = performance.now();
  const deadline = started + seconds * 1000;
  let sent = 0;
  let answered = 0;
  let sentAt = started;

  function send(count: number): void {
    let lines = "";
    for (let index = 0; index < count; index += 1) lines += line();
    sent += count;
    sentAt = performance.now();
    channel.send(lines);
  }

  const finished = new Promise<void>((resolve) => {
    channel.onLines((count) => {
      const now = performance.now();
      answered += count;
      if (inFlight === 1) latencies.push(now - sentAt);
      if (now < deadline) send(count);
      else if (answered >= sent) resolve();
    });
    send(inFlight);
  });
  await Promise.race([finished, channel.died]);
  channel.onLines(() => {});
  const elapsed = performance.now() - started;
  return { count: answered, seconds: elapsed / 1000, latencies: Float64Array.from(latencies).sort() };
}
