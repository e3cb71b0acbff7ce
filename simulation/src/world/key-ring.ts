// The keys of the simulated deployment. They are derived synchronously: work in other threads would end at a time that no schedule decides.
import { createHash } from "node:crypto";
import type { KeyRing } from "@lethe/server/stores";

export function createSimulatedRing(): KeyRing {
  const derived = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  const first = {
    id: "k1",
    cryptoKey: () => Promise.reject(new Error("the simulation has no asynchronous keys")),
    derive(purpose: string) {
      let bytes = derived.get(purpose);
      if (!bytes) {
        bytes = Promise.resolve(new Uint8Array(createHash("sha256").update(purpose).digest()));
        derived.set(purpose, bytes);
      }
      return bytes;
    },
  };
  return { isEphemeral: false, first, keys: [first], find: (id) => (id === first.id ? first : undefined) };
}
