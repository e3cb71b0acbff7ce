// The parsers that receive untrusted bytes first. Each property holds for every input.
import assert from "node:assert/strict";
import {
  checkSchemaBounds,
  createLineDecoder,
  createSseDecoder,
  decodeHeaderValue,
  encodeHeaderValue,
  isMcpError,
  isNotification,
  isRequest,
  isResponse,
  nameOf,
  parseJson,
  parseMessage,
  type SseEvent,
  toOwnName,
  toSseEvent,
} from "@lethe/protocol";
import fc from "fast-check";
import { toPublicName } from "../../../packages/gateway/src/catalog/public-name.ts";
import { createUriMatcher } from "../../../packages/gateway/src/catalog/uri-matcher.ts";
import { parseBearer } from "../../../packages/server/src/auth/bearer.ts";
import { parseCursor, toCursor } from "../../../packages/server/src/features/cursor.ts";
import { parseUriTemplate } from "../../../packages/server/src/features/uri-template.ts";
import { parseHost } from "../../../packages/server/src/http/guards.ts";
import { parseEventId, toEventId } from "../../../packages/server/src/legacy/transports/event-id.ts";
import { hostileTexts, hostileValues, memberNames } from "../input/dictionary.ts";
import type { Target } from "../run/target.ts";
import { anyText, propertyTarget } from "./property-target.ts";

const text = fc.oneof(anyText, fc.string(), fc.constantFrom(...hostileTexts));
/** Texts of these words and of arbitrary characters. */
const textOf = (...words: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...words) }, text), { maxLength: 12 })
    .map((parts) => parts.join(""));
const json = fc.oneof(
  fc.constantFrom(...hostileValues),
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(
    fc.constantFrom(...memberNames),
    fc.oneof(fc.constantFrom(...hostileValues), fc.jsonValue({ maxDepth: 2 })),
    { noNullPrototype: true },
  ),
);

/** Throws unless `run` returns or throws an McpError with this code. */
function orRefused<T>(run: () => T, code: number): T | undefined {
  try {
    return run();
  } catch (error) {
    if (isMcpError(error) && error.code === code) return undefined;
    throw error;
  }
}

function cutAt(length: number, places: readonly number[]): [start: number, end: number][] {
  const ends = [...new Set(places.map((place) => place % (length + 1)))].sort((a, b) => a - b);
  return [...ends, length].map((end, index) => [ends[index - 1] ?? 0, end]);
}
const places = fc.array(fc.nat(400), { maxLength: 6 });

const sse = propertyTarget({
  name: "sse",
  inputs: fc.tuple(
    textOf(
      "data:",
      "data: x",
      "event: m",
      "id: 1",
      "id:\0",
      "retry: 10",
      "retry: x",
      ":",
      "\n",
      "\r",
      "\r\n",
      "\n\n",
      "\ufeff",
    ),
    places,
  ),
  check([stream, cuts]) {
    const read = (pieces: readonly [number, number][]): SseEvent[] => {
      const decoder = createSseDecoder();
      return pieces.flatMap(([start, end]) => decoder.push(stream.slice(start, end)));
    };
    const whole = read([[0, stream.length]]);
    assert.deepEqual(read(cutAt(stream.length, cuts)), whole, "cut differently, the stream holds the same events");
    for (const { data } of whole) {
      const again = createSseDecoder().push(toSseEvent(data));
      assert.deepEqual(
        again.map((event) => event.data),
        [data],
        "an event that is written reads the same",
      );
    }
  },
});

const lines = propertyTarget({
  name: "stdio-lines",
  inputs: fc.tuple(
    fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      textOf("\n", "\r\n", "\r", " ", "{}").map((line) => Buffer.from(line)),
    ),
    places,
    fc.integer({ min: 1, max: 300 }),
  ),
  check([bytes, cuts, maxLineBytes]) {
    const read = (pieces: readonly [number, number][]): string[] => {
      const read: string[] = [];
      const decoder = createLineDecoder({
        maxLineBytes,
        onLine: (line) => void read.push(line),
        onTooLong: (size) => void read.push(`(${size} bytes)`),
      });
      for (const [start, end] of pieces) decoder.push(bytes.slice(start, end));
      decoder.end();
      return read;
    };
    const whole = read([[0, bytes.length]]);
    assert.deepEqual(read(cutAt(bytes.length, cuts)), whole, "cut differently, the stream holds the same lines");
    for (const line of whole) assert.ok(!line.includes("\n"), "a line has no line end");
  },
});

const uriTemplate = propertyTarget({
  name: "uri-template",
  inputs: fc.tuple(
    textOf("file:///", "{x}", "{y}", "{+z}", "{#f}", "{/p}", "{.e}", "{;m}", "{?q}", "{?q,r}", "{", "}", "/", "-"),
    textOf("file:///", "/", "?q=1", "&r=2", "#f", "%20", "%", "-", "..", "a"),
  ),
  check([template, uri]) {
    const { matches } = createUriMatcher(template);
    const isRouted = matches(uri);
    let parsed: ReturnType<typeof parseUriTemplate>;
    try {
      parsed = parseUriTemplate(template);
    } catch (error) {
      assert.ok(error instanceof Error && error.constructor === Error, "a wrong template gets a plain Error");
      return;
    }
    const values = parsed.match(uri);
    if (values === undefined) return;
    assert.ok(
      Object.keys(values).every((name) => parsed.variables.includes(name)),
      "only variables of the template",
    );
    assert.ok(isRouted || template.includes("{?") || template.includes("{&"), "a gateway finds what a server matches");
  },
});

const headerValue = propertyTarget({
  name: "header-value",
  inputs: textOf("=?base64?", "?=", "aGk=", " ", "\t", "é"),
  check(value) {
    const encoded = orRefused(() => encodeHeaderValue(value), -32602);
    if (encoded !== undefined) {
      assert.match(encoded, /^[\x20-\x7e]*$/);
      assert.equal(decodeHeaderValue(encoded), value);
    }
    orRefused(() => decodeHeaderValue(value), -32020);
  },
});

const host = propertyTarget({
  name: "host",
  inputs: textOf("localhost", "127.0.0.1", "[::1]", "example.com", ":", "80", "99999", "@", "/", ".", "#"),
  check(value) {
    const parsed = parseHost(value);
    if (!parsed) return;
    assert.doesNotMatch(parsed.name, /[@/#?\\\s]/, "no character that ends or precedes a host");
    assert.deepEqual(parseHost(parsed.port === "" ? parsed.name : `${parsed.name}:${parsed.port}`), parsed);
  },
});

const bearer = propertyTarget({
  name: "bearer",
  inputs: fc.oneof(
    textOf("Bearer", "bearer ", " ", "abc", "==", ",", "Basic "),
    fc.constant(`Bearer ${"a".repeat(20_000)}`),
  ),
  check(header) {
    const parsed = parseBearer(header);
    if (typeof parsed === "string") return;
    assert.match(parsed.token, /^[\w\-.~+/]+=*$/);
    assert.ok(header.endsWith(parsed.token));
  },
});

const eventId = propertyTarget({
  name: "event-id",
  inputs: fc.tuple(textOf("a", ".", "1", "%22a%22", "-", "_", "4294967296"), fc.nat(), fc.oneof(fc.integer(), text)),
  check([raw, seq, requestId]) {
    const parsed = parseEventId(raw);
    // As JSON, because -0 is the id 0.
    if (parsed) assert.equal(JSON.stringify(parseEventId(toEventId(parsed))), JSON.stringify(parsed));
    if (typeof requestId === "string" && /\p{Surrogate}/u.test(requestId)) return;
    const place = parseEventId(toEventId({ streamId: "s", seq, requestId }));
    assert.ok(place?.requestId === undefined || place.requestId === requestId);
    assert.equal(place?.seq, seq);
  },
});

const cursor = propertyTarget({
  name: "cursor",
  inputs: fc.tuple(textOf("dG9vbHM6", "MQ", "tools:1", "-", "_", "="), fc.nat(1_000)),
  check([raw, ordinal]) {
    orRefused(() => parseCursor("tools", raw, 500), -32602);
    if (ordinal < 500) assert.equal(parseCursor("tools", toCursor("tools", ordinal), 500), ordinal);
    assert.equal(
      orRefused(() => parseCursor("prompts", toCursor("tools", ordinal), 500), -32602),
      undefined,
    );
  },
});

const publicName = propertyTarget({
  name: "public-name",
  inputs: fc.tuple(
    textOf("a", "_", "__", "-", "."),
    textOf("get", "__", "_", " ", "é"),
    textOf("get", "__", "_", " ", "é"),
  ),
  check([prefix, one, other]) {
    const name = toPublicName(prefix, one);
    assert.ok(name.length <= 64);
    assert.match(name, /^[A-Za-z0-9_-]*$/);
    assert.equal(name === toPublicName(prefix, other), one === other, "two names of one upstream stay two");
    const own = toOwnName(prefix, name);
    assert.ok(own === undefined || typeof own === "string");
  },
});

const message = propertyTarget({
  name: "json-message",
  inputs: fc.tuple(json, text),
  check([value, raw]) {
    orRefused(() => parseJson(raw), -32700);
    nameOf(value);
    const message = typeof value === "object" && value !== null ? { jsonrpc: "2.0", ...value } : value;
    for (const candidate of [value, message]) {
      const parsed = orRefused(() => parseMessage(candidate), -32600);
      if (!parsed) continue;
      const kinds = [isRequest(parsed), isNotification(parsed), isResponse(parsed)].filter(Boolean);
      assert.equal(kinds.length, 1, "a message is of exactly one kind");
    }
  },
});

const jsonSchema = propertyTarget({
  name: "json-schema",
  inputs: fc.oneof(
    json,
    fc.dictionary(
      fc.constantFrom(
        "type",
        "properties",
        "items",
        "$ref",
        "$defs",
        "anyOf",
        "allOf",
        "$schema",
        "pattern",
        "required",
      ),
      fc.oneof(json, fc.constantFrom<unknown>("#", "#/$defs/a", ["a"], { a: { $ref: "#" } }, { $ref: "https://x/y" })),
      { noNullPrototype: true },
    ),
  ),
  check(schema) {
    try {
      checkSchemaBounds(schema as Parameters<typeof checkSchemaBounds>[0]);
    } catch (error) {
      assert.ok(
        error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError),
        String(error),
      );
    }
  },
});

export const parserTargets: readonly Target[] = [
  ...[sse, lines, uriTemplate, headerValue, host, bearer, eventId, cursor, publicName, message, jsonSchema],
];
