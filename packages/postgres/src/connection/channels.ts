// The channels that one process listens to. A channel of PostgreSQL is an identifier, so its name is a digest of the prefix and the name.
import { createHash } from "node:crypto";
import { MessageJoiner } from "./message-parts.ts";

type Listener = (text: string) => void;

interface Channel {
  readonly listeners: Set<Listener>;
  readonly joiner: MessageJoiner;
}

/** Characters of one message. Longer ones are dropped. */
const maxMessageChars = 32 * 1024 * 1024;

/** The name of a channel in PostgreSQL, which needs no escape. */
export function channelNameOf(prefix: string, channel: string): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([prefix, channel]))
    .digest("hex");
  return `lethe_${digest.slice(0, 40)}`;
}

export class Channels {
  readonly #channels = new Map<string, Channel>();

  get names(): string[] {
    return [...this.#channels.keys()];
  }

  /** Returns true for the first listener of a channel. */
  add(name: string, listener: Listener): boolean {
    const channel = this.#channels.get(name) ?? { listeners: new Set(), joiner: new MessageJoiner(maxMessageChars) };
    this.#channels.set(name, channel);
    channel.listeners.add(listener);
    return channel.listeners.size === 1;
  }

  /** Returns true when the channel has no listener left. */
  remove(name: string, listener: Listener): boolean {
    const channel = this.#channels.get(name);
    if (!channel?.listeners.delete(listener) || channel.listeners.size > 0) return false;
    return this.#channels.delete(name);
  }

  receive(name: string, payload: string): void {
    const channel = this.#channels.get(name);
    const text = channel?.joiner.add(payload);
    if (text === undefined) return;
    for (const listener of channel?.listeners ?? []) listener(text);
  }

  clear(): void {
    this.#channels.clear();
  }
}
