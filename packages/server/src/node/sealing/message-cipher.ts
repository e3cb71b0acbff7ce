// Encrypts everything that processes store in a shared store or send through it with the keys of the deployment. A reader of the store learns
// nothing about callers. A writer cannot answer for a client, impersonate a process or change a task. The seal of tokens (server/seal) is
// asynchronous and does not preserve the order of messages, so this file derives a key per purpose and encrypts synchronously.
import { createCipheriv, createDecipheriv } from "node:crypto";
import { checkOptions, isJsonObject, type JsonObject, type KnownOptions } from "@lethe/protocol";
import type { KeyRing } from "../../seal/key-ring.ts";
import { createRandomSource } from "./random-source.ts";

/** Encrypts and decrypts messages of one purpose. */
export interface MessageCipher {
  /** Throws RangeError when the message is too large. */
  seal(message: JsonObject, to: string): string;
  /** Undefined if the text was not sealed for `to`. */
  open(text: string, to: string): JsonObject | undefined;
}

/** Options of `createMessageCipher`. */
export interface MessageCipherOptions {
  /** Text sealed for one purpose cannot be opened for another. */
  purpose: string;
  /** Size of a message as JSON, in bytes. */
  maxBytes: number;
  /** How long sealed text can be opened, in ms; this bounds replays. Default: forever. */
  ttlMs?: number;
  /** Omits the time from the text, which makes it shorter and cannot be combined with `ttlMs`. Default false. */
  isTimeless?: boolean;
}

const knownMessageCipherOptions: KnownOptions<MessageCipherOptions> = {
  purpose: "a string",
  maxBytes: "a number",
  ttlMs: true,
  isTimeless: true,
};

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;
const nextIv = createRandomSource(ivBytes);

/**
 * Creates a cipher with a key that is derived for its purpose. AES-256-GCM with a random 96-bit nonce: rotate a key before it has sealed
 * 2^32 messages.
 *
 * @example
 * import { createMessageCipher } from "@lethe/server/sealing";
 * import { createKeyRing } from "@lethe/server/stores";
 *
 * const cipher = await createMessageCipher(createKeyRing(`k1:${"A".repeat(43)}`), { purpose: "notes", maxBytes: 10_000 });
 * const sealed = cipher.seal({ text: "hello" }, "note 1");
 * console.log(cipher.open(sealed, "note 1")); // { text: 'hello' }
 * console.log(cipher.open(sealed, "note 2")); // undefined
 */
export async function createMessageCipher(ring: KeyRing, options: MessageCipherOptions): Promise<MessageCipher> {
  checkOptions("createMessageCipher", options, knownMessageCipherOptions);
  const { maxBytes, ttlMs = Number.POSITIVE_INFINITY, isTimeless = false } = options;
  const purpose = `lethe ${options.purpose} 1`;
  const keys = new Map<string, Uint8Array>();
  for (const key of ring.keys) keys.set(key.id, await key.derive(purpose));
  const { id } = ring.first;
  const own = keys.get(id) as Uint8Array;

  function toAdditionalData(keyId: string, to: string): Buffer {
    return Buffer.from(JSON.stringify([purpose, keyId, to]));
  }

  return {
    seal(message, to) {
      const text = Buffer.from(JSON.stringify(message));
      if (text.length > maxBytes) throw new RangeError(`at most ${maxBytes} bytes expected, got ${text.length}`);
      const iv = nextIv();
      const sealing = createCipheriv(algorithm, own, iv).setAAD(toAdditionalData(id, to));
      const time = sealing.update(isTimeless ? "" : `${Date.now()} `);
      const body = Buffer.concat([iv, time, sealing.update(text), sealing.final(), sealing.getAuthTag()]);
      return `${id}.${body.toString("base64")}`;
    },
    open(text, to) {
      const dot = text.indexOf(".");
      const keyId = text.slice(0, dot);
      const key = keys.get(keyId);
      const body = Buffer.from(text.slice(dot + 1), "base64");
      if (!key || body.length < ivBytes + tagBytes) return undefined;
      try {
        const opening = createDecipheriv(algorithm, key, body.subarray(0, ivBytes), { authTagLength: tagBytes })
          .setAAD(toAdditionalData(keyId, to))
          .setAuthTag(body.subarray(-tagBytes));
        const opened = Buffer.concat([opening.update(body.subarray(ivBytes, -tagBytes)), opening.final()]);
        const start = isTimeless ? 0 : opened.indexOf(" ");
        if (!isTimeless && Date.now() - Number(opened.subarray(0, start)) >= ttlMs) return undefined;
        const message: unknown = JSON.parse(opened.subarray(start).toString());
        return isJsonObject(message) ? message : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
