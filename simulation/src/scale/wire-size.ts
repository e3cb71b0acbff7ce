// How many bytes a command, a reply and a message take in the protocol of Redis (RESP 2).
import { type Reply, ReplyError } from "../redis/reply.ts";

function bulkSize(text: string): number {
  const bytes = Buffer.byteLength(text);
  return headSize(bytes) + bytes + 2;
}

/** A line with a number, such as "$12\r\n". */
function headSize(value: number): number {
  return String(value).length + 3;
}

export function commandSize(words: readonly string[]): number {
  let size = headSize(words.length);
  for (const word of words) size += bulkSize(word);
  return size;
}

export function replySize(reply: Reply | ReplyError): number {
  if (reply instanceof ReplyError) return reply.message.length + 3;
  if (reply === null) return 5;
  if (typeof reply === "number") return headSize(reply);
  if (typeof reply === "string") return bulkSize(reply);
  if ("ok" in reply) return reply.ok.length + 3;
  let size = headSize(reply.length);
  for (const item of reply) size += replySize(item);
  return size;
}

/** What a subscriber receives. */
export function messageSize(channel: string, text: string): number {
  return headSize(3) + bulkSize("message") + bulkSize(channel) + bulkSize(text);
}
