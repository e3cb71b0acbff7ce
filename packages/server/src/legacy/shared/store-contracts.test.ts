// The in-memory stores for clients of older revisions pass the contract suites of their interfaces.
import { describe, it } from "vitest";
import { createMemoryClientMessageRelay } from "./client-message-relay.ts";
import { createMemoryEventLog } from "./event-log.ts";
import { createMemorySessionStore } from "./session-store.ts";
import { describeClientMessageRelay, describeEventLog, describeSessionStore } from "./store-contracts.ts";

describe("createMemoryClientMessageRelay", () =>
  describeClientMessageRelay({ it }, () => createMemoryClientMessageRelay()));
describe("createMemorySessionStore", () => describeSessionStore({ it }, () => createMemorySessionStore()));
describe("createMemoryEventLog", () => describeEventLog({ it }, () => createMemoryEventLog()));
