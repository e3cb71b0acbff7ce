// Fingerprints of keys. Two processes compare them to learn whether each can decrypt the other's messages.
import { createHash } from "node:crypto";
import type { KeyRing } from "../../seal/key-ring.ts";

export interface KeyFingerprints {
  /** The fingerprints of all keys, the encrypting key first. They reveal nothing about the keys. */
  readonly own: string;
  /** Whether both processes can decrypt each other's messages, given the other's fingerprints. */
  fit(others: string): boolean;
}

const fingerprintBytes = 9;

export async function createKeyFingerprints({ keys }: KeyRing): Promise<KeyFingerprints> {
  const fingerprints: string[] = [];
  for (const { id, derive } of keys) {
    const digest = createHash("sha256")
      .update(await derive("lethe marks 1"))
      .update(id)
      .digest();
    fingerprints.push(digest.subarray(0, fingerprintBytes).toString("base64url"));
  }
  return {
    own: fingerprints.join(),
    fit(others) {
      const theirs = others.split(",");
      return fingerprints.includes(theirs[0] as string) && theirs.includes(fingerprints[0] as string);
    },
  };
}
