// What workers share of older clients' sessions passes the contract suites of its interfaces.
import { describe, expect, it, vi } from "vitest";
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

it("delivers a response to the worker that its id names and no other, and a cancellation to all workers once", async () => {
  const workers = createLinkedWorkers();
  const links = [await workers.join(), await workers.join(), await workers.join()];
  const relays = links.map((link) => createLinkedSessions(link, "server").clientMessages);
  const heard = relays.map((relay) => {
    const messages: unknown[] = [];
    relay.listen("s", (message) => messages.push(message));
    return messages;
  });
  const response = { jsonrpc: "2.0", id: `${relays[1]?.address}.1`, result: {} } as const;
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } } as const;
  for (const id of ["1", "w99.1", "other.1"]) relays[0]?.deliver("s", { ...response, id });
  relays[0]?.deliver("s", response);
  relays[0]?.deliver("s", cancelled);
  await vi.waitFor(() => expect(heard).toEqual([[cancelled], [response, cancelled], [cancelled]]));
});
