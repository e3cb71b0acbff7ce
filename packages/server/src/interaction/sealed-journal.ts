// The journal of a plain request travels with the client, sealed in `requestState` (E-27, E-28).
import type { JsonObject } from "@lethe/protocol";
import { type Binding, invalidRequestState, type Seal } from "../seal/seal.ts";
import { isJournal, type Journal, type JournalHome } from "./journal.ts";

export interface SealedJournalOptions {
  seal: Seal;
  /** Called when the first token is opened or sealed. */
  bind: () => Binding;
  /** The `requestState` that came with this request. */
  token: string | undefined;
}

export function createSealedJournalHome({ seal, bind, token }: SealedJournalOptions): JournalHome {
  let binding: Binding | undefined;
  const bound = () => {
    binding ??= bind();
    return binding;
  };
  return {
    async load() {
      if (token === undefined) return undefined;
      const journal = await seal.open(token, bound());
      if (!isJournal(journal)) throw invalidRequestState();
      return journal;
    },
    async save(journal: Journal) {
      return seal.seal(journal as unknown as JsonObject, bound());
    },
  };
}
