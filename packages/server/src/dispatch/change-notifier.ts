// Notifies subscribers of registry changes (E-14). Definitions before the first request cause no notification, and all
// changes of one turn of the event loop are merged.
import type { ListKind, Registry } from "../features/registry.ts";

export interface ChangeNotifier {
  /** Starts to publish changes. */
  begin(): void;
}

export function createChangeNotifier(
  registry: Pick<Registry, "onChange">,
  publish: (kind: ListKind) => void,
): ChangeNotifier {
  const pending = new Set<ListKind>();
  let hasBegun = false;

  function flush(): void {
    const kinds = [...pending];
    pending.clear();
    for (const kind of kinds) publish(kind);
  }

  registry.onChange((kind) => {
    if (!hasBegun) return;
    if (pending.size === 0) queueMicrotask(flush);
    pending.add(kind);
  });
  return {
    begin() {
      hasBegun = true;
    },
  };
}
