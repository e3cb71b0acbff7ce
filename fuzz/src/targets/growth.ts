// Finds superlinear work: it repeats a random pattern, and 16 times the input may not take 80 times the CPU time.
// (n log n takes about 20 times, n² 256 times. Garbage collection of large inputs adds a factor below 3.)

import {
  checkSchemaBounds,
  createLineDecoder,
  createSseDecoder,
  decodeHeaderValue,
  isMcpError,
  parseJson,
} from "@lethe/protocol";
import { createHttpParser, HttpFormatError } from "../../../packages/compare/src/record/http-parser.ts";
import { mergeCatalogs } from "../../../packages/gateway/src/catalog/merge-catalogs.ts";
import { toPublicName } from "../../../packages/gateway/src/catalog/public-name.ts";
import { createUriMatcher } from "../../../packages/gateway/src/catalog/uri-matcher.ts";
import { createUriRule } from "../../../packages/gateway/src/catalog/uri-rule.ts";
import { partOf, toolOf } from "../../../packages/gateway/src/testing/catalogs.ts";
import { parseBearer } from "../../../packages/server/src/auth/bearer.ts";
import { parseUriTemplate } from "../../../packages/server/src/features/uri-template.ts";
import { parseHost } from "../../../packages/server/src/http/guards.ts";
import { parseEventId } from "../../../packages/server/src/legacy/transports/event-id.ts";
import type { Random } from "../input/random.ts";
import { createHealthMonitor } from "../run/health.ts";
import type { Tally, Target } from "../run/target.ts";

/** Texts with a repeated part. */
interface Pattern {
  readonly before: string;
  readonly repeated: string;
  readonly after: string;
}

interface Subject {
  readonly name: string;
  readonly words: readonly string[];
  /** The largest count of the first attempt. Default 32,000. */
  readonly mostCount?: number;
  /** Runs with an input of `count` repetitions. */
  prepare(pattern: Pattern, count: number): () => void;
}

function ofText(name: string, words: readonly string[], run: (text: string) => unknown): Subject {
  return {
    name,
    words,
    prepare({ before, repeated, after }, count) {
      const text = before + repeated.repeat(count) + after;
      return () => orRefused(() => run(text));
    },
  };
}

function orRefused(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    const isExpected = isMcpError(error) || error instanceof URIError || error instanceof HttpFormatError;
    if (!isExpected && !(error instanceof Error && error.constructor === Error)) throw error;
  }
}

/** Bytes in chunks as small as a slow sender may choose. */
function ofChunks(name: string, words: readonly string[], open: () => (chunk: Buffer) => void): Subject {
  return {
    name,
    words,
    prepare({ before, repeated, after }, count) {
      const bytes = Buffer.from(before + repeated.repeat(count) + after);
      return () =>
        orRefused(() => {
          const push = open();
          for (let start = 0; start < bytes.length; start += 7) push(bytes.subarray(start, start + 7));
        });
    },
  };
}

function ofItems(name: string, toPart: (pattern: Pattern, count: number) => Parameters<typeof partOf>[1]): Subject {
  return {
    name,
    words: ["a:b", "a", "{x}", "{", "/", "é"],
    // 16 times as many exceed the gateway's limit per upstream, and fill a small heap.
    mostCount: 2_000,
    prepare(pattern, count) {
      const part = partOf("hostile", toPart(pattern, count));
      const good = partOf("good", { resources: [{ uri: "a:b", name: "b" }] });
      return () => void mergeCatalogs([good, part]);
    },
  };
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const uriWords = ["file:///", "{", "}", "{x}", "{+x}", "{/x}", "a", "/", "%2e", "..", "?", "&x="] as const;
const sseWords = ["data:", "data", ":", "id:1", "event:a", "\n", "\r", "\n\n", "x"] as const;
const headWords = [
  "POST / HTTP/1.1",
  "\r\n",
  "Host: a",
  "a: b",
  "Transfer-Encoding: chunked",
  "0",
  "1\r\na",
  "x",
] as const;

const subjects: readonly Subject[] = [
  ofText("gateway uri matcher", uriWords, (text) => createUriMatcher(text).matches("file:///a/b?c")),
  ofText("gateway uri matcher, the uri", uriWords, (text) =>
    createUriMatcher("file:///{a}/{b}-{c}/x{+d}y{e}").matches(`file:///${text}`),
  ),
  ofText("server uri template", uriWords, (text) => parseUriTemplate(text).match("file:///a/b")),
  ofText("server uri template, the uri", uriWords, (text) =>
    parseUriTemplate("file:///{a}/{b}-{c}/x{+d}y{?q,r}").match(`file:///${text}`),
  ),
  ofText("public name", ["a", "_", "__", "é", " "], (text) => toPublicName("p", text)),
  ofText("bearer", ["Bearer ", " ", "a", "=", "/"], (text) => parseBearer(text)),
  ofText("host", ["a", ".", ":", "[", "]", "1", "-"], (text) => parseHost(text)),
  ofText("event id", ["a", ".", "1", "%22", "-"], (text) => parseEventId(text)),
  ofText("header value", ["=?base64?", "?=", "aGk=", " ", "\t", "a"], (text) => decodeHeaderValue(text)),
  ofText("json", ["[", "{", '"', "1", ",", '"a":', "\\u"], (text) => parseJson(text)),
  ofText("schema", ["[", "a"], (text) =>
    checkSchemaBounds({ anyOf: Array.from(text, (letter) => ({ $ref: `#/${letter}` })) }),
  ),
  ofText("sse, one push", sseWords, (text) => createSseDecoder({ maxEventBytes: 2 ** 30 }).push(text)),
  ofChunks("sse, small pushes", sseWords, () => {
    const decoder = createSseDecoder({ maxEventBytes: 2 ** 30 });
    return (chunk) => void decoder.push(chunk.toString("latin1"));
  }),
  ofChunks("lines", ["a", "\n", "\r", " ", "{}"], () => {
    const decoder = createLineDecoder({ maxLineBytes: 2 ** 30, onLine: () => {}, onTooLong: () => {} });
    return (chunk) => decoder.push(chunk);
  }),
  ofChunks("recorder http parser", headWords, () => {
    const parser = createHttpParser({ onHead: () => {}, onBody: () => {}, onEnd: () => {} });
    return (chunk) => parser.push(chunk);
  }),
  ofText("uri rule", uriWords, (text) => createUriRule({ deny: ["file:///secret*", "a:*b*c"] }).offers(text)),
  ofItems("catalog, one uri", ({ repeated }, count) => ({
    resources: many(count, () => ({ uri: repeated, name: "n" })),
  })),
  ofItems("catalog, many uris", ({ repeated }, count) => ({
    resources: many(count, (index) => ({ uri: `${repeated}${index}`, name: "n" })),
  })),
  ofItems("catalog, one tool name", ({ repeated }, count) => ({ tools: many(count, () => toolOf(repeated)) })),
  ofItems("catalog, many tools", ({ repeated }, count) => ({
    tools: many(count, (index) => toolOf(`${repeated}${index}`)),
  })),
  ofItems("catalog, one prompt name", ({ repeated }, count) => ({ prompts: many(count, () => ({ name: repeated })) })),
  ofItems("catalog, many templates", ({ repeated }, count) => ({
    templates: many(count, (index) => ({ uriTemplate: `a:${index}/${repeated}`, name: "t" })),
  })),
];

const firstCount = 500;
const mostCount = 32_000;
/** Below this time, the clock and the garbage collector dominate. */
const clearMs = 12;
const certainMs = 2_000;
const step = 4;
const factor = 16;
const allowed = 80;

export const growthTarget: Target = {
  name: "growth",
  weight: 2,
  maxBusyMs: 30_000,
  allowedGrowthBytes: 32 * 1024 * 1024,
  async start() {
    const monitor = createHealthMonitor();
    return {
      async round(random, tally, round) {
        // In turn, so that a short run covers each.
        const subject = subjects[round % subjects.length];
        if (subject) tryPattern(subject, createPattern(subject, random), tally);
      },
      health: monitor.read,
      close: async () => monitor.stop(),
    };
  },
};

function createPattern({ words }: Subject, random: Random): Pattern {
  const textOf = (most: number): string =>
    Array.from({ length: random.below(most + 1) }, () => random.pick(words)).join("");
  return { before: textOf(2), repeated: random.pick(words) + textOf(1), after: textOf(2) };
}

function tryPattern(subject: Subject, pattern: Pattern, tally: Tally): void {
  for (let count = firstCount; count <= (subject.mostCount ?? mostCount); count *= step) {
    tally.input({ subject: subject.name, pattern, count });
    const took = cpuMsOf(subject.prepare(pattern, count), 1);
    if (took < clearMs) continue;
    if (!isTooMuch(subject, pattern, count)) return;
    tally.fail({
      kind: "delay",
      detail: `${subject.name}: ${factor} times the input takes more than ${allowed} times the CPU time, from ${count} repetitions on`,
      input: { subject: subject.name, pattern, count },
    });
    return;
  }
}

/** Repeats a suspicious measurement, unless it takes too long to be noise. */
function isTooMuch(subject: Subject, pattern: Pattern, count: number): boolean {
  for (let times = 1; times <= 3; times++) {
    const small = cpuMsOf(subject.prepare(pattern, count), times + 1);
    const large = cpuMsOf(subject.prepare(pattern, count * factor), times);
    if (large <= allowed * Math.max(small, clearMs / 2)) return false;
    if (large > certainMs) return true;
  }
  return true;
}

/** Returns the shortest of several times. */
function cpuMsOf(run: () => void, times: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time++) {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}
