// The GET stream of a legacy session, which carries unsolicited messages of the server for as long as the session lasts.
import { pause } from "../call/cancel-signal.ts";
import type { Deadline } from "../call/deadline.ts";
import { isEventStream, readEvents, retryDelayOf, type StreamCursor, type StreamReader } from "./event-stream.ts";
import type { HttpSession } from "./http-session.ts";

export interface GetStreamReader extends StreamReader {
  /** Called when the stream started again without a position, so that messages in between are lost. */
  onGap(): void;
  /** Called when the server refuses the stream. It is not opened again. */
  onRefused(status: number): void | Promise<void>;
}

const firstRetryMs = 1_000;
const longestRetryMs = 30_000;

/** Resolves when `deadline` is aborted or the server refuses the stream. Never rejects. */
export async function keepListening(session: HttpSession, deadline: Deadline, reader: GetStreamReader): Promise<void> {
  const cursor: StreamCursor = { lastEventId: undefined, retryMs: undefined };
  let failures = 0;
  let wasOpen = false;
  const counting: StreamReader = {
    ...reader,
    onActivity() {
      failures = 0;
    },
  };
  while (!deadline.aborted) {
    const answer = await session.get(cursor.lastEventId, deadline).catch(() => undefined);
    if (answer && isEventStream(answer)) {
      if (wasOpen && cursor.lastEventId === undefined) reader.onGap();
      wasOpen = true;
      // A message that cannot be parsed ends the stream like any other error.
      await readEvents(answer, cursor, counting).catch(() => {});
    } else {
      answer?.discard();
      if (answer && answer.status < 500 && answer.status !== 429) return void (await reader.onRefused(answer.status));
    }
    const delayMs = Math.min(longestRetryMs, firstRetryMs * 2 ** failures++);
    await pause(retryDelayOf(cursor, delayMs), deadline).catch(() => {});
  }
}
