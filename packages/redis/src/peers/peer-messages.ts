// The sealed questions and answers of replicas. A text is bound to its receiver; a question carries a number that its sender never
// uses twice, and an answer repeats the nonce of its question. No clock of another machine is trusted.
import type { JsonObject } from "@lethe/protocol";
import { createMessageCipher, type MessageCipher } from "@lethe/server/sealing";
import type { KeyRing } from "@lethe/server/stores";

export interface Question {
  readonly from: string;
  readonly number: number;
  readonly nonce: string;
  /** The address of a replica that introduces itself: from now on it may acquire sessions. */
  readonly introduces?: string;
}

export interface Answer {
  readonly nonce: string;
  /** Whether the answering replica reaches Redis. If not, it promises to take no sessions for a while. */
  readonly hasRedis: boolean;
}

export interface PeerMessages {
  /** Seals a question of this replica for another one. */
  sealQuestion(to: string, question: Pick<Question, "introduces" | "nonce">): string;
  /** Returns undefined for a text that no replica sealed for this one, or that has arrived before. */
  openQuestion(text: string): Question | undefined;
  sealAnswer(to: string, answer: Answer): string;
  /** Returns undefined for a text that the replica `from` did not seal for this one. */
  openAnswer(text: string, from: string): Answer | undefined;
}

/** The size of a question or answer as JSON, in bytes. */
const maxMessageBytes = 1_024;
/** The size of a sealed text, in characters. */
const maxTextLength = 2_048;
/** Senders whose last number is remembered. A restarted process is a new sender. */
const maxSenders = 1_000;

export async function createPeerMessages(ring: KeyRing, self: string): Promise<PeerMessages> {
  const cipher = await createMessageCipher(ring, { purpose: "peers", maxBytes: maxMessageBytes });
  return new SealedMessages(cipher, self);
}

class SealedMessages implements PeerMessages {
  readonly #cipher: MessageCipher;
  readonly #self: string;
  readonly #lastNumbers = new Map<string, number>();
  #number = 0;

  constructor(cipher: MessageCipher, self: string) {
    this.#cipher = cipher;
    this.#self = self;
  }

  sealQuestion(to: string, question: Pick<Question, "introduces" | "nonce">): string {
    this.#number += 1;
    return this.#cipher.seal({ kind: "question", from: this.#self, number: this.#number, ...question }, to);
  }

  openQuestion(text: string): Question | undefined {
    const opened = this.#open(text, "question");
    const { from, number, nonce, introduces } = opened ?? {};
    if (typeof from !== "string" || typeof number !== "number" || typeof nonce !== "string") return undefined;
    if (number <= (this.#lastNumbers.get(from) ?? 0)) return undefined;
    this.#lastNumbers.delete(from);
    this.#lastNumbers.set(from, number);
    if (this.#lastNumbers.size > maxSenders) {
      this.#lastNumbers.delete(this.#lastNumbers.keys().next().value as string);
    }
    return { from, number, nonce, ...(typeof introduces === "string" && { introduces }) };
  }

  sealAnswer(to: string, { nonce, hasRedis }: Answer): string {
    return this.#cipher.seal({ kind: "answer", from: this.#self, nonce, hasRedis }, to);
  }

  openAnswer(text: string, from: string): Answer | undefined {
    const opened = this.#open(text, "answer");
    const { nonce, hasRedis } = opened ?? {};
    if (opened?.from !== from || typeof nonce !== "string" || typeof hasRedis !== "boolean") return undefined;
    return { nonce, hasRedis };
  }

  #open(text: string, kind: string): JsonObject | undefined {
    if (text.length > maxTextLength) return undefined;
    const opened = this.#cipher.open(text, this.#self);
    return opened?.kind === kind ? opened : undefined;
  }
}
