// The keys by which two replicas prove to each other, in the handshake of TLS 1.3, that they have the keys of the deployment. The key of a
// connection is derived for the pair of replicas and its direction, so it also proves both ids. TLS adds fresh random values of both sides,
// and keys for the connection that nothing stored reveals (PSK with (EC)DHE, RFC 8446).

import { createHmac } from "node:crypto";
import { createKeyFingerprints } from "@lethe/server/forwarding";
import type { KeyRing } from "@lethe/server/stores";

/** The reason where a replica was reached under another id than its own. */
export const forAnotherReplica = "it looks for another replica";

export interface LinkKeys {
  /** What this replica presents to the replica `to`, and the key: that of the first key of the ring. */
  present(to: string): { identity: string; psk: Buffer };
  /** Who presents this identity to this replica, and the key. A reason if it is for another replica, or its key is unknown. */
  recognise(identity: string): { from: string; psk: Buffer } | { reason: string };
}

export async function createLinkKeys(ring: KeyRing, self: string): Promise<LinkKeys> {
  const marks = (await createKeyFingerprints(ring)).own.split(",");
  const derived = await Promise.all(ring.keys.map((key) => key.derive("lethe links 1")));
  const keys = new Map(marks.map((mark, index) => [mark, derived[index] as Uint8Array]));
  const [first = ""] = marks;

  function toPsk(mark: string, from: string, to: string): Buffer {
    return createHmac("sha256", keys.get(mark) as Uint8Array)
      .update(JSON.stringify([mark, from, to]))
      .digest();
  }

  return {
    present: (to) => ({ identity: `${first} ${self} ${to}`, psk: toPsk(first, self, to) }),
    recognise(identity) {
      const [mark = "", from = "", to] = identity.split(" ");
      if (to !== self || from === "" || from === self) return { reason: forAnotherReplica };
      if (!keys.has(mark)) return { reason: "it has other keys: check that LETHE_KEYS is the same" };
      return { from, psk: toPsk(mark, from, to) };
    },
  };
}
