// A party: the unit whose open requests count together. It is a caller, or a client address while no caller is known.

export type PartyKind = "caller" | "address";

export class Party {
  readonly kind: PartyKind;
  readonly key: string;
  /** Open slots, by `FairLimit.index`. */
  readonly held: number[] = [0, 0, 0];
  /** Bytes of the memory budget that its requests hold. */
  memoryHeld = 0;

  constructor(kind: PartyKind, key: string) {
    this.kind = kind;
    this.key = key;
  }

  get isIdle(): boolean {
    return this.held.every((count) => count === 0);
  }
}

export interface Parties {
  /** Returns the party. Callers must take a slot for it immediately, because idle parties are dropped. */
  find(name: string): Party;
}

/** Idle parties kept. */
const maxIdle = 1_024;

/**
 * Names with the same key share one party. Idle parties are kept until there are many, so that a regular caller costs one look-up
 * per request and no allocation.
 */
export function createParties(kind: PartyKind, toKey: (name: string) => string = (name) => name): Parties {
  const byName = new Map<string, Party>();
  let sweepAt = maxIdle;

  function sweep(): void {
    for (const [name, party] of byName) if (name !== party.key || party.isIdle) byName.delete(name);
    sweepAt = maxIdle + 2 * byName.size;
  }

  return {
    find(name) {
      const known = byName.get(name);
      if (known) return known;
      if (byName.size >= sweepAt) sweep();
      const key = toKey(name);
      const party = byName.get(key) ?? new Party(kind, key);
      byName.set(key, party);
      byName.set(name, party);
      return party;
    },
  };
}

/**
 * Returns the address block that one client controls: the IPv4 address, or the /64 network of an IPv6 address. Returns other text
 * unchanged.
 */
export function toAddressBlock(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail] = address.split("::", 2);
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  while (groups.length + after.length < 8) groups.push("0");
  return [...groups, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
