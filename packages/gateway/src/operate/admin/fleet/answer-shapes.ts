// Checks what other replicas send: a replica of another version may send another form, whose figures do not add up with those of this one.
import { isJsonObject } from "@lethe/protocol";
import { classes } from "../../observe/duration-counts.ts";
import { maxPoints } from "../../observe/time-series.ts";
import type { NewExchanges } from "../api/replica-question.ts";
import type { ChangedFigures } from "./figure-changes.ts";
import type { FiguresAnswer } from "./figures.ts";
import type { UpstreamPart } from "./merge-detail.ts";
import type { SeriesPart } from "./merge-series.ts";

/** Items of a list or a record in an answer. */
const maxItems = 10_000;
/** Characters of the path in an error. Names of upstreams are part of it. */
const maxPathLength = 100;

/** Returns the path of the first value that is wrong, "" for the given one. Undefined where all are right. */
type FindFault = (value: unknown) => string | undefined;

const check =
  (isRight: (value: unknown) => boolean): FindFault =>
  (value) =>
    isRight(value) ? undefined : "";

const text = check((value) => typeof value === "string");
const flag = check((value) => typeof value === "boolean");
const integer = check(Number.isSafeInteger);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const count = check(isCount);

/** Further members are right: a later version may have them. */
function object(members: Readonly<Record<string, FindFault>>): FindFault {
  const all = Object.entries(members);
  return (value) => {
    if (!isJsonObject(value)) return "";
    for (const [name, findFault] of all) {
      const fault = findFault(value[name]);
      if (fault !== undefined) return `.${name}${fault}`;
    }
    return undefined;
  };
}

function optional(findFault: FindFault): FindFault {
  return (value) => (value === undefined ? undefined : findFault(value));
}

function list(findFault: FindFault, max = maxItems): FindFault {
  return (value) => {
    if (!Array.isArray(value) || value.length > max) return "";
    for (const item of value) {
      const fault = findFault(item);
      if (fault !== undefined) return `[]${fault}`;
    }
    return undefined;
  };
}

function record(findFault: FindFault): FindFault {
  return (value) => {
    if (!isJsonObject(value)) return "";
    const all = Object.entries(value);
    if (all.length > maxItems) return "";
    for (const [name, item] of all) {
      const fault = findFault(item);
      if (fault !== undefined) return `.${name}${fault}`;
    }
    return undefined;
  };
}

const counts = object({ requests: count, errors: count, durations: list(count, classes) });
const oneOf = (...words: readonly string[]): FindFault => check((word) => words.includes(word as string));
const eraView = object({
  isSpoken: check((isSpoken) => isSpoken === null || typeof isSpoken === "boolean"),
  ...{ word: text, revisions: list(text), contract: optional(text) },
});
const verdict = object({
  ...{ word: text, source: oneOf("configuration", "probe", "connection"), contract: optional(text), transport: text },
  eras: object({ modern: eraView, legacy: eraView }),
  features: object({ server: optional(object({ name: text, version: text })), capabilities: list(text) }),
  ...{ evidence: list(text), found: text },
});
const upstreamMembers = {
  ...{ name: text, state: oneOf("starting", "ready", "idle", "failed") },
  ...{ kind: oneOf("stdio", "http", "memory", "openapi"), target: text },
  ...{ era: optional(oneOf("modern", "legacy")), revision: optional(text), verdict: optional(verdict) },
  ...{ reason: optional(text), problems: list(text), failures: count, sessions: count, sessionsLost: record(count) },
  ...{ waiting: count, pending: count, tasks: count, tools: count, prompts: count, resources: count },
};
const gatewayFigures = object({
  ...{ sessions: count, pendingCalls: count, tasks: count, recent: counts },
  total: object({ requests: count, errors: count }),
});
const detail = object({
  ...{ ...upstreamMembers, replica: text, endpoint: text, warnings: list(text), stderr: list(text) },
  ...{ openSessions: list(check(isJsonObject)), processes: list(check(isJsonObject)) },
});
/** Age, requests, errors, and at most one number for each class of durations. */
const packedStep = check(
  (value) => Array.isArray(value) && value.length >= 3 && value.length <= 3 + classes && value.every(isCount),
);
const packedSteps = list(packedStep, maxPoints);
const exchange = object({ id: check((id) => typeof id === "string" && /-\d{1,15}$/.test(id)) });

/** Throws an Error, whose message is the reason why an answer does not count. */
type Read<Answer> = (answer: unknown) => Answer;

function readerOf<Answer>(content: string, findFault: FindFault): Read<Answer> {
  return (answer) => {
    const fault = findFault(answer);
    if (fault === undefined) return answer as Answer;
    const path = fault === "" ? "the answer" : fault.slice(1, maxPathLength);
    throw new Error(`it sent ${content} of another version: ${path} is not what this replica expects`);
  };
}

export const readFigures: Read<FiguresAnswer> = readerOf(
  "figures",
  object({ replica: text, gateway: gatewayFigures, upstreams: list(object(upstreamMembers)), recent: record(counts) }),
);

export const readChangedFigures: Read<ChangedFigures> = readerOf(
  "figures",
  object({
    ...{ gateway: gatewayFigures, version: count, isWhole: flag, hasMore: flag },
    upstreams: list(object(upstreamMembers)),
    ended: optional(object({ step: count, gateway: counts, upstreams: record(counts), recent: record(counts) })),
  }),
);

export const readSeriesPart: Read<SeriesPart> = readerOf(
  "a series",
  object({ replica: text, newest: count, gateway: packedSteps, upstreams: record(packedSteps) }),
);

export const readUpstreamPart: Read<UpstreamPart> = readerOf(
  "an upstream",
  object({ replica: text, detail: optional(detail), recent: counts }),
);

export const readNewExchanges: Read<NewExchanges> = readerOf(
  "exchanges",
  object({
    ...{ exchanges: list(exchange), last: integer, hasMore: flag, leftOut: optional(count) },
    lists: record(text),
  }),
);
