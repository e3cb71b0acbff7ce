// The in-memory stores for clients of older revisions pass the contract suites of their interfaces.
import { describe, it } from "vitest";
import { createMemoryAnswerExchange } from "./answer-exchange.ts";
import { createMemoryEventLog } from "./event-log.ts";
import { createMemorySessionStore } from "./session-store.ts";
import { describeAnswerExchange, describeEventLog, describeSessionStore } from "./store-contracts.ts";

describe("createMemoryAnswerExchange", () => describeAnswerExchange({ it }, () => createMemoryAnswerExchange()));
describe("createMemorySessionStore", () => describeSessionStore({ it }, () => createMemorySessionStore()));
describe("createMemoryEventLog", () => describeEventLog({ it }, () => createMemoryEventLog()));
