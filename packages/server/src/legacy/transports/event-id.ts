// The ids of events (D-35): the stream, the position in it, and the request that the stream answers.
import { isRequestId, type RequestId } from "@lethe/protocol";

export interface EventPosition {
  readonly streamId: string;
  readonly seq: number;
  /** The request that the stream answers, so that its client gets an error even if all events are lost. */
  readonly requestId?: RequestId | undefined;
}

/** Longer request ids are left out, because the client returns the event id in a header. */
const maxIdLength = 128;
const pattern = /^([A-Za-z0-9_-]{1,32})\.(\d{1,10})(?:\.([!-~]{1,128}))?$/;

export function toEventId({ streamId, seq, requestId }: EventPosition): string {
  const id = requestId === undefined ? "" : encodeURIComponent(JSON.stringify(requestId));
  return id === "" || id.length > maxIdLength ? `${streamId}.${seq}` : `${streamId}.${seq}.${id}`;
}

/** Returns undefined for an id that this server did not make. */
export function parseEventId(text: string): EventPosition | undefined {
  const match = pattern.exec(text);
  if (match?.[1] === undefined) return undefined;
  const place = { streamId: match[1], seq: Number(match[2]) };
  const requestId = match[3] === undefined ? undefined : parseId(match[3]);
  return requestId === undefined ? place : { ...place, requestId };
}

function parseId(text: string): RequestId | undefined {
  try {
    const id: unknown = JSON.parse(decodeURIComponent(text));
    return isRequestId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
