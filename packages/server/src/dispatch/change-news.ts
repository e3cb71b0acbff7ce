// Changes of the registry, told to whoever listens (E-14). Definitions before the first request are no news, and all
// changes of one turn are one.
import type { ListKind } from "../features/registry.ts";

export interface ChangeNews {
  changed(kind: ListKind): void;
  /** From now on changes are news. */
  begin(): void;
}

export function createChangeNews(publish: (kind: ListKind) => void): ChangeNews {
  const pending = new Set<ListKind>();
  let hasBegun = false;

  function flush(): void {
    const kinds = [...pending];
    pending.clear();
    for (const kind of kinds) publish(kind);
  }

  return {
    changed(kind) {
      if (!hasBegun) return;
      if (pending.size === 0) queueMicrotask(flush);
      pending.add(kind);
    },
    begin() {
      hasBegun = true;
    },
  };
}
