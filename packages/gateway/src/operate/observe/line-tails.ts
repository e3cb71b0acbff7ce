// The last lines that each upstream wrote to stderr.

export interface LineTails {
  add(upstream: string, line: string): void;
  of(upstream: string): readonly string[];
  /** Forgets all other upstreams. */
  keep(upstreams: ReadonlySet<string>): void;
}

const maxLineLength = 2_000;

export function createLineTails(maxLines = 100): LineTails {
  const tails = new Map<string, string[]>();
  return {
    add(upstream, line) {
      const tail = tails.get(upstream) ?? [];
      tail.push(line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line);
      if (tail.length > maxLines) tail.shift();
      tails.set(upstream, tail);
    },
    of: (upstream) => tails.get(upstream) ?? [],
    keep(upstreams) {
      for (const name of tails.keys()) if (!upstreams.has(name)) tails.delete(name);
    },
  };
}
