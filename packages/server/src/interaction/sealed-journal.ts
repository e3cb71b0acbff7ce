// The journal of a plain request travels with the client, sealed in `requestState` (E-27, E-28).
import type { JsonObject } from "@lethe/protocol";
import { type Binding, invalidRequestState, type Seal } from "../seal/seal.ts";
import { isJournal, type Journal, type JournalHome } from "./journal.ts";

export interface SealedJournalOptions {
  seal: Seal;
  /** Called when the first token is opened or sealed. */
  bind: () => Binding;
  /** The `requestState` of this request. */
  token: string | undefined;
  /** The content of the token if it was opened already. */
  opened?: Journal | undefined;
  /** The id of the opened token. */
  roundId?: string | undefined;
}

export function createSealedJournalHome({ seal, bind, token, opened, roundId }: SealedJournalOptions): JournalHome {
  let binding: Binding | undefined;
  const bound = () => {
    binding ??= bind();
    return binding;
  };
  const seed = opened?.seed ?? roundId;
  return {
    ...(seed !== undefined && { seed }),
    async load() {
      if (opened || token === undefined) return opened;
      return toJournal(await seal.open(token, bound()));
    },
    async save(journal: Journal) {
      return seal.seal(journal as unknown as JsonObject, bound());
    },
  };
}

export function toJournal(payload: JsonObject): Journal {
  if (!isJournal(payload)) throw invalidRequestState();
  return payload;
}
