// Announces changed lists to the subscriptions of all callers, over several turns of the event loop where there are thousands.
import { type Hub, spreadOverTurns } from "@lethe/server/edge";
import type { ListKind } from "../../catalog/catalog-view.ts";

/** Streams of further callers that learn of a changed list in a turn of the event loop. */
const maxPerTurn = 500;

export interface Announcements {
  /** Begins at once. A list that changes again before its turn is announced once. */
  add(kind: ListKind): void;
}

/** `hubs` has one hub for each caller. */
export function createAnnouncements(hubs: () => Iterable<Hub>): Announcements {
  const waiting = new Set<ListKind>();
  const work = spreadOverTurns(function* () {
    for (const kind of waiting) {
      waiting.delete(kind);
      let left = maxPerTurn;
      for (const hub of hubs()) {
        if (left <= 0) {
          yield;
          left = maxPerTurn;
        }
        hub.publish({ kind });
        left -= hub.size;
      }
    }
  });
  return {
    add(kind) {
      waiting.add(kind);
      work.start();
    },
  };
}
