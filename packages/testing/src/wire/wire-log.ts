// The JSON-RPC messages of one connection, as they crossed the wire.
import { isJsonObject, type JsonObject } from "@lethe/protocol";

/** One JSON-RPC message. */
export interface WireMessage {
  /** The side that wrote it. */
  readonly sender: "client" | "server";
  /** The message as JSON. Not a copy of anything that the client or server still uses. */
  readonly message: JsonObject;
}

/** Messages kept of one connection. */
const maxMessages = 10_000;

export class WireLog {
  readonly messages: WireMessage[] = [];

  /** `value` is a parsed message, or a batch of them. Messages beyond the limit are dropped. */
  add(sender: WireMessage["sender"], value: unknown): void {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (this.messages.length >= maxMessages) return;
      if (isJsonObject(one)) this.messages.push({ sender, message: JSON.parse(JSON.stringify(one)) });
    }
  }

  /** Ignores text that is no JSON, such as the endpoint event of HTTP+SSE. */
  addText(sender: WireMessage["sender"], text: string): void {
    if (!/^\s*[{[]/.test(text)) return;
    try {
      this.add(sender, JSON.parse(text));
    } catch {
      // The client reports malformed messages.
    }
  }
}
