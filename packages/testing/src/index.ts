// The entry point @lethe/server/testing: tests of servers, for any test runner. Users also install @lethe/client.

export {
  type Answer,
  type AnswerValue,
  accept,
  cancel,
  decline,
  folders,
  type Question,
  sampled,
} from "./answers/answer.ts";
export type { InputKind } from "./answers/script.ts";
export {
  type Combination,
  type CombinationBody,
  type CombinationOptions,
  type CombinationTarget,
  combinations,
  type ServerOf,
  testEverywhere,
} from "./clients/combinations.ts";
export { type TestClient, type TestClientOptions, type TestRecords, testClient } from "./clients/test-client.ts";
export type { CallLog, CallProgress } from "./clients/watch-calls.ts";
export type { Recorded } from "./events/recorded.ts";
export { createTestClock, type TestClock, type TestClockOptions } from "./time/test-clock.ts";
export type { TestProgram, TestRevision, TestServer, TestTransport } from "./transports/test-target.ts";
export { type TranscriptOptions, toTranscript } from "./wire/transcript.ts";
export type { WireMessage } from "./wire/wire-log.ts";
