// Where an event stream stands, as the id of its events: the last exchange of each replica, and the last log entry of this one.

/** Positions of more replicas are not remembered. */
const maxPositions = 128;

export interface StreamPosition {
  /** The number of the last exchange, by replica. */
  readonly exchanges: ReadonlyMap<string, number>;
  /** The number of the last log entry. Undefined where the stream was one of another replica. */
  readonly log: number | undefined;
}

/** `others` are the other replicas. */
export function formatPosition(
  replica: string,
  { exchanges, log }: StreamPosition & { log: number },
  others: Iterable<{ readonly replica: string }>,
): string {
  let text = `${replica}.${exchanges.get(replica) ?? -1}.${log}`;
  for (const { replica: other } of others) {
    const number = exchanges.get(other);
    if (number !== undefined) text += `_${other}.${number}`;
  }
  return text;
}

/** Returns where the client of a stream stopped reading. A replica has another name after each start, so its numbers stay true. */
export function parsePosition(id: string | undefined, replica: string): StreamPosition {
  const exchanges = new Map<string, number>();
  let log: number | undefined;
  for (const part of id?.split("_", maxPositions) ?? []) {
    const [, name, exchange, entry] = /^([0-9a-z]{1,8})\.(-1|\d{1,15})(?:\.(\d{1,15}))?$/.exec(part) ?? [];
    if (name === undefined) continue;
    exchanges.set(name, Number(exchange));
    if (name === replica && entry !== undefined) log = Number(entry);
  }
  return { exchanges, log };
}

/** Sets a position, and forgets the oldest one beyond the limit. */
export function setPosition(positions: Map<string, number>, replica: string, number: number): void {
  positions.set(replica, number);
  if (positions.size <= maxPositions) return;
  for (const oldest of positions.keys()) {
    if (oldest !== replica) {
      positions.delete(oldest);
      return;
    }
  }
}
