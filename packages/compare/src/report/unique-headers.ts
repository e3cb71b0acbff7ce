// Finds header fields that only one transport uses, which proxies, caches and firewalls can see.
import type { Recording } from "../record/recording.ts";

export interface UniqueHeader {
  readonly name: string;
  readonly side: "request" | "response";
  /** The number of requests or responses with this field. */
  readonly count: number;
  /** The number of requests or responses in all. */
  readonly of: number;
  readonly example: string;
}

/** Keyed by the id of the recording. Recordings over stdio have no entry. */
export function toUniqueHeaders(recordings: readonly Recording[]): ReadonlyMap<string, readonly UniqueHeader[]> {
  const tables = recordings
    .filter(({ transport }) => transport === "http")
    .map((one) => ({ id: one.id, table: tableOf(one) }));
  return new Map(
    tables.map(({ id, table }) => {
      const others = tables.filter((other) => other.id !== id);
      const own = [...table].filter(([key]) => !others.some((other) => other.table.has(key)));
      return [id, own.map(([, header]) => header)];
    }),
  );
}

function tableOf({ exchanges }: Recording): Map<string, UniqueHeader> {
  const table = new Map<string, UniqueHeader>();
  for (const side of ["request", "response"] as const) {
    const heads = exchanges.flatMap((exchange) => exchange[side] ?? []);
    for (const { headers } of heads) {
      for (const name of new Set(headers.map(([given]) => given.toLowerCase()))) {
        const key = `${side} ${name}`;
        const example = headers.find(([given]) => given.toLowerCase() === name)?.[1] ?? "";
        const before = table.get(key) ?? { name, side, count: 0, of: heads.length, example };
        table.set(key, { ...before, count: before.count + 1 });
      }
    }
  }
  return table;
}
