// Stores that outlive the code: the processes of the code use them over their channel.
import { createMemorySingleUseStore, type Round } from "@lethe/server/stores";
import type { Handlers } from "../channel/channel.ts";

export function createStoreHandlers(): Handlers {
  const singleUse = createMemorySingleUseStore();
  return {
    claim: (round: Round) => singleUse.claim(round),
    settle: ({ round, answer }: { round: Round; answer: string | undefined }) => singleUse.settle(round, answer),
    release: (round: Round) => singleUse.release(round),
  };
}
