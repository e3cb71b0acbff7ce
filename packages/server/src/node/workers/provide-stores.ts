// Runs before the program of a worker: from then on, the default stores of its servers are those that the workers share.
import { provideWorkerStores } from "../../replicas/worker-stores.ts";
import { createLinkedSessions } from "./linked-legacy.ts";
import { createLinkedBus } from "./linked-stores.ts";
import { openLinkedStore } from "./store-link.ts";
import { openParentLink } from "./worker-environment.ts";

const link = openParentLink();
if (link) {
  provideWorkerStores((kind, space) => {
    if (kind === "bus") return createLinkedBus(link, space);
    if (kind === "legacy") return createLinkedSessions(link, space);
    return openLinkedStore(link, kind, space);
  });
}
