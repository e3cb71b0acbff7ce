// Tests of the endpoint filter: it rewrites the origin of an endpoint and nothing else, however the stream is split.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEndpointFilter, type EventFilter } from "./endpoint-filter.ts";
import { createHttpParser } from "./http-parser.ts";
import type { Header } from "./recording.ts";

const server = new URL("http://127.0.0.1:3000/sse");
const recorder = "http://127.0.0.1:4000";
const chunked: Header = ["Transfer-Encoding", "chunked"];

function createFilter(headers: readonly Header[]): { filter: EventFilter | undefined; changes: () => number } {
  let changes = 0;
  const filter = createEndpointFilter({ server, recorder, headers, onChange: () => (changes += 1) });
  return { filter, changes: () => changes };
}

/** Sends a response through parser and filter in pieces of these sizes. Returns the body that the client gets. */
function pass(body: string, headers: readonly Header[], sizes: readonly number[]): { got: string; changes: number } {
  const { filter, changes } = createFilter(headers);
  const got: Uint8Array[] = [];
  const parser = createHttpParser({
    verbOf: () => "GET",
    onHead: () => {},
    onBody: (content, raw) => void got.push(filter?.push(content, raw) ?? raw),
    onEnd: () => void got.push(filter?.end() ?? new Uint8Array()),
  });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  let rest = Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n${body}`);
  for (let turn = 0; rest.length > 0; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    parser.push(rest.subarray(0, size));
    rest = rest.subarray(size);
  }
  parser.end();
  return { got: Buffer.concat(got).toString(), changes: changes() };
}

/** Encodes the body in chunks of these sizes. */
function toChunks(body: string, sizes: readonly number[]): string {
  let rest = Buffer.from(body);
  let text = "";
  for (let turn = 0; rest.length > 0; turn += 1) {
    const chunk = rest.subarray(0, sizes[turn % sizes.length] ?? 1);
    text += `${chunk.length.toString(16)}\r\n${chunk.toString("latin1")}\r\n`;
    rest = rest.subarray(chunk.length);
  }
  return Buffer.from(`${text}0\r\n\r\n`, "latin1").toString();
}

function fromChunks(text: string): string {
  let body = "";
  const parser = createHttpParser({
    verbOf: () => "GET",
    onHead: () => {},
    onBody: (content) => {
      body += Buffer.from(content).toString();
    },
    onEnd: () => {},
  });
  parser.push(Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${text}`));
  return body;
}

const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 });
const named = (address: string): string => `: hi\n\nevent: endpoint\ndata: ${address}\n\nevent: message\ndata: {}\n\n`;
const own = named(`${recorder}/messages?session_id=a//b`);
const whole = named("http://127.0.0.1:3000/messages?session_id=a//b");

it("the endpoint filter replaces the origin of the server, however the response is split", () => {
  fc.assert(
    fc.property(sizes, sizes, (chunks, pieces) => {
      const { got, changes } = pass(toChunks(whole, chunks), [chunked], pieces);
      expect(fromChunks(got)).toBe(own);
      expect(changes).toBe(1);
      expect(pass(whole, [], pieces)).toEqual({ got: own, changes: 1 });
    }),
  );
});

describe("createEndpointFilter", () => {
  it.each([
    ["an endpoint without an origin", named("/messages?to=http://127.0.0.1:3000/")],
    ["an endpoint on another origin", named("http://localhost:3000/messages")],
    ["an address in a message", 'event: message\ndata: "http://127.0.0.1:3000/"\n\n'],
    ["an endpoint that is not the first event", `data: {}\n\n${whole}`],
    ["an incomplete comment", ": hi\n"],
    ["an event that is too long to be an endpoint", `data: ${"x".repeat(20_000)}\n\n`],
  ])("passes %s unchanged", (_name, body) => {
    fc.assert(
      fc.property(sizes, sizes, (chunks, pieces) => {
        const framed = toChunks(body, chunks);
        expect(pass(framed, [chunked], pieces)).toEqual({ got: framed, changes: 0 });
        expect(pass(body, [], pieces)).toEqual({ got: body, changes: 0 });
      }),
      { numRuns: 20 },
    );
  });

  it.each<[string, Header]>([
    ["a response with a Content-Length", ["Content-Length", "10"]],
    ["a compressed response", ["Content-Encoding", "gzip"]],
  ])("creates no filter for %s", (_name, header) => {
    expect(createFilter([header]).filter).toBeUndefined();
  });
});

it("the endpoint filter passes a comment at once and an event as soon as it is complete", () => {
  const { filter } = createFilter([]);
  const push = (text: string): string =>
    Buffer.from(filter?.push(Buffer.from(text), Buffer.from(text)) ?? []).toString();
  expect(push(": alive\n\n")).toBe(": alive\n\n");
  expect(push("event: endpoint\nda")).toBe("");
  expect(push("ta: //127.0.0.1:3000/x\n\n")).toBe(`event: endpoint\ndata: ${recorder}/x\n\n`);
  expect(push("da")).toBe("da");
});
