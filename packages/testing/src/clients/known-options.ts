// The options of test clients and combinations by name, so that an unknown option is rejected.
import type { KnownOptions } from "@lethe/protocol";
import type { CombinationOptions } from "./combinations.ts";
import type { TestClientOptions } from "./test-client.ts";

type CommonOptions = Omit<TestClientOptions, "revision" | "transport">;

const knownCommonOptions: KnownOptions<CommonOptions> = {
  answers: true,
  roots: true,
  supports: true,
  caller: true,
  timeoutMs: true,
  waitMs: true,
  info: true,
  capabilities: true,
  extensions: "an array?",
  rounds: { maxRounds: true, maxMs: true },
  cache: true,
  cachePartition: true,
  subscriptions: { ackTimeoutMs: true, minDelayMs: true, maxDelayMs: true, maxSubscribers: true },
  tasks: {
    listen: true,
    pollIntervalMs: true,
    minPollMs: true,
    maxPollMs: true,
    maxMs: true,
    maxOutageMs: true,
    maxRounds: true,
  },
  middleware: true,
  createValidator: true,
  onWarning: true,
};

export const knownTestClientOptions: KnownOptions<TestClientOptions> = {
  ...knownCommonOptions,
  revision: true,
  transport: true,
};

export const knownCombinationOptions: KnownOptions<CombinationOptions> = {
  ...knownCommonOptions,
  revisions: true,
  transports: true,
  program: { command: "a string", args: true, env: true, cwd: true },
};
