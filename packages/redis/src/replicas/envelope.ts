// What one replica sends another, sealed for it: whoever can write to Redis, and has no key, can neither read what callers
// send nor speak for one. The seal of tokens (server/seal) would not do: it takes two trips through WebCrypto's threads, in
// no order, and messages have to stay in theirs. So the same keys give one of their own for this, and Node seals at once.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import type { KeyRing } from "@lethe/server";

export interface Envelope {
  /** Throws RangeError when the message is too large. */
  seal(message: JsonObject, to: string): string;
  /** Undefined for what is not sealed for `to`, whatever the reason. */
  open(text: string, to: string): JsonObject | undefined;
}

export interface EnvelopeOptions {
  /** Of a message as JSON. */
  maxBytes: number;
}

const purpose = "lethe replicas 1";
const cipher = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

/** AES-256-GCM with a random 96-bit nonce: rotate a key before it has sealed 2^32 messages. */
export async function createEnvelope(ring: KeyRing, { maxBytes }: EnvelopeOptions): Promise<Envelope> {
  const keys = new Map<string, Uint8Array>();
  for (const key of ring.keys) keys.set(key.id, await key.derive(purpose));
  const { id } = ring.first;
  const own = keys.get(id) as Uint8Array;
  return {
    seal(message, to) {
      const text = Buffer.from(JSON.stringify(message));
      if (text.length > maxBytes) throw new RangeError(`at most ${maxBytes} bytes expected, got ${text.length}`);
      const iv = randomBytes(ivBytes);
      const sealing = createCipheriv(cipher, own, iv).setAAD(toAdditionalData(id, to));
      const body = Buffer.concat([iv, sealing.update(text), sealing.final(), sealing.getAuthTag()]);
      return `${id}.${body.toString("base64")}`;
    },
    open(text, to) {
      const dot = text.indexOf(".");
      const keyId = text.slice(0, dot);
      const key = keys.get(keyId);
      const body = Buffer.from(text.slice(dot + 1), "base64");
      if (!key || body.length < ivBytes + tagBytes) return undefined;
      try {
        const opening = createDecipheriv(cipher, key, body.subarray(0, ivBytes), { authTagLength: tagBytes })
          .setAAD(toAdditionalData(keyId, to))
          .setAuthTag(body.subarray(-tagBytes));
        const opened = Buffer.concat([opening.update(body.subarray(ivBytes, -tagBytes)), opening.final()]);
        const message: unknown = JSON.parse(opened.toString());
        return isJsonObject(message) ? message : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

function toAdditionalData(keyId: string, to: string): Buffer {
  return Buffer.from(JSON.stringify([purpose, keyId, to]));
}
