// The value of a replica's lease in Redis: the fingerprints of its keys, and what the other replicas must know about it. Items are
// separated by commas, and a replica of an earlier build knows fingerprints alone. It compares items as a whole and ignores others.

export interface LeaseEntry {
  /** The fingerprints of the replica's keys, the encrypting key first, separated by commas. */
  readonly fingerprints: string;
  /** How long a heartbeat makes the replica valid, in ms. Undefined for an earlier build, which sends none. */
  readonly validMs: number | undefined;
  /** How long a heartbeat keeps the lease in Redis, in ms. Undefined for an earlier build. */
  readonly leaseMs: number | undefined;
  /** "host:port" at which other replicas reach it. */
  readonly address: string | undefined;
  /** "host:port" at which it accepts direct connections for messages. */
  readonly direct?: string | undefined;
}

/** Redis reads at most this many characters of an entry. */
export const maxEntryChars = 1_024;

/** The own items follow the first fingerprint, so that the length of the key list never cuts them off. */
export function formatLeaseEntry(entry: LeaseEntry & { validMs: number; leaseMs: number }): string {
  const { fingerprints, validMs, leaseMs, address, direct } = entry;
  const [first, ...others] = fingerprints.split(",");
  const items = [first, `valid:${Math.ceil(validMs)}`, `lease:${leaseMs}`];
  if (address !== undefined) items.push(`at:${encodeURIComponent(address)}`);
  if (direct !== undefined) items.push(`direct:${encodeURIComponent(direct)}`);
  return [...items, ...others].join();
}

export function parseLeaseEntry(text: string): LeaseEntry {
  const items = text.split(",");
  const address = itemOf(items, "at:");
  const direct = itemOf(items, "direct:");
  return {
    fingerprints: items.filter((item) => !item.includes(":")).join(),
    validMs: msOf(items, "valid:"),
    leaseMs: msOf(items, "lease:"),
    address: address && decode(address),
    direct: direct && decode(direct),
  };
}

function msOf(items: readonly string[], name: string): number | undefined {
  const ms = Number(itemOf(items, name));
  return ms > 0 ? ms : undefined;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function itemOf(items: readonly string[], name: string): string | undefined {
  return items.find((item) => item.startsWith(name))?.slice(name.length);
}
