// What workers share of older clients' sessions passes the contract suites of its interfaces.
import { describe, it } from "vitest";
import {
  describeClientMessageRelay,
  describeEventLog,
  describeSessionStore,
} from "../../legacy/shared/store-contracts.ts";
import { createLinkedSessions } from "./linked-legacy.ts";
import { createLinkedWorkers } from "./testing/linked-workers.ts";

const open = async () => createLinkedSessions(await createLinkedWorkers().join(), "server");

describe("createLinkedSessions", () => {
  describeClientMessageRelay({ it }, async () => (await open()).clientMessages);
  describeEventLog({ it }, async () => (await open()).events);
  describeSessionStore({ it }, async () => (await open()).store);
});
