// Runs before the program of a worker: from then on, the default stores of its servers are those that the workers share.
import { provideWorkerStores } from "../../replicas/worker-stores.ts";
import { createLinkedSessions } from "./linked-legacy.ts";
import {
  createLinkedBus,
  createLinkedRateCounter,
  createLinkedSessionStateStore,
  createLinkedSingleUseStore,
} from "./linked-stores.ts";
import { createLinkedTaskStore } from "./linked-task-store.ts";
import { openParentLink } from "./worker-environment.ts";

const link = openParentLink();
if (link) {
  provideWorkerStores((kind, space) => {
    switch (kind) {
      case "bus":
        return createLinkedBus(link, space);
      case "legacy":
        return createLinkedSessions(link, space);
      case "rates":
        return createLinkedRateCounter(link, space);
      case "sessions":
        return createLinkedSessionStateStore(link, `state ${space}`);
      case "singleUse":
        return createLinkedSingleUseStore(link, space);
      case "tasks":
        return createLinkedTaskStore(link, space);
    }
  });
}
