// Tests of masking: property tests with secrets in any place, and examples for the places that hold secrets.
import fc from "fast-check";
import { expect, it } from "vitest";
import { exchange, recording } from "../testing/recordings.ts";
import { maskRecording } from "./mask.ts";

const secret = fc.string({ unit: fc.constantFrom(..."abcdefghijklmnop0123456789"), minLength: 8, maxLength: 30 });

it("maskRecording removes a given secret from every place of a recording", () => {
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (given, before, after) => {
      const text = before + given + after;
      const one = exchange(
        1,
        { target: `/mcp?x=${given}`, headers: [["X-Anything", text]], body: text },
        { headers: [["X-Else", text]], body: text, events: [{ at: 1, event: text, data: text, id: text }] },
      );
      const line = { number: 1, at: 0, sender: "client" as const, bytes: 1, text };
      const step = { name: "s", startedAt: 0, endedAt: 0, outcome: "failed" as const, detail: text };
      const masked = maskRecording(
        recording({ exchanges: [one], lines: [line], steps: [step], remarks: [text], endpoint: `x ${text}` }),
        { secrets: [`Bearer ${given}`] },
      );
      expect(JSON.stringify(masked).includes(given)).toBe(false);
    }),
  );
});

it.each([
  ["Authorization", "Basic YWJj", "***"],
  ["cookie", "a=b", "***"],
  ["X-Api-Key", "abc", "***"],
  ["Mcp-Session-Id", "1d391986-033b", "1d39***"],
  ["Accept", "text/event-stream", "text/event-stream"],
])("maskRecording shows the header %s: %s as %s", (name, value, shown) => {
  const [masked] = maskRecording(recording({ exchanges: [exchange(1, { headers: [[name, value]] })] })).exchanges;
  expect(masked?.request.headers).toEqual([[name, shown]]);
});

it("maskRecording masks a session id that recurs in a body", () => {
  const one = exchange(1, { headers: [["mcp-session-id", "1d391986-033b"]] }, { body: '{"id":"1d391986-033b"}' });
  expect(maskRecording(recording({ exchanges: [one] })).exchanges[0]?.response?.body).toBe('{"id":"1d39***"}');
});

it.each([
  ["Authorization", "Custom abcdef123", "abcdef123"],
  ["Authorization", `Basic ${Buffer.from("me:hunter22").toString("base64")}`, "hunter22"],
  ["Cookie", "lang=en; sid=abc123def", "abc123def"],
  ["X-Api-Key", "abcdef123", "abcdef123"],
])("maskRecording masks the value of the header %s: %s where a response repeats it", (name, value, secret) => {
  const one = exchange(1, { headers: [[name, value]] }, { body: `you sent "${secret}"` });
  expect(maskRecording(recording({ exchanges: [one] })).exchanges[0]?.response?.body).toBe('you sent "***"');
});

it("maskRecording masks the whole value of a header given by the user, even if it is short", () => {
  const one = exchange(1, { headers: [["X-Pin", "1234"]] });
  const { exchanges } = maskRecording(recording({ exchanges: [one] }), { headers: ["x-pin"] });
  expect(exchanges[0]?.request.headers).toEqual([["X-Pin", "***"]]);
});

it("maskRecording masks the session id of an event stream where a message contains it", () => {
  const events = [
    { at: 1, event: "endpoint", data: "/messages?sessionId=0af2-1134-77" },
    { at: 2, event: "message", data: '{"data":"session 0af2-1134-77"}', id: "0af2-1134-77_1" },
  ];
  const [masked] = maskRecording(recording({ exchanges: [exchange(1, { verb: "GET" }, { events })] })).exchanges;
  expect(masked?.response?.events).toEqual([
    { at: 1, event: "endpoint", data: "/messages?sessionId=0af2***" },
    { at: 2, event: "message", data: '{"data":"session 0af2***"}', id: "0af2***_1" },
  ]);
});

it.each([
  ["Bearer abc.def-ghi", "Bearer ***"],
  ['Bearer resource_metadata="https://host/x"', 'Bearer resource_metadata="https://host/x"'],
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "***"],
  ["/messages?session_id=0af2-1134", "/messages?session_id=0af2***"],
  ['"requestState":"v1.abcdefgh"', '"requestState":"v1.a***"'],
  ['"text":"{\\"requestState\\":\\"v1.abcdefgh\\"}"', '"text":"{\\"requestState\\":\\"v1.a***\\"}"'],
  ['{"access_token":"abc","token_type":"Bearer"}', '{"access_token":"***","token_type":"Bearer"}'],
  ["refresh_token=abc&client_secret=def", "refresh_token=***&client_secret=***"],
  ["npx server --api-key abc123", "npx server --api-key ***"],
  ["https://user:pass@host/mcp", "https://***@host/mcp"],
])("maskRecording turns %s into %s", (text, shown) => {
  expect(maskRecording(recording({ remarks: [text] })).remarks).toEqual([shown]);
});

it("maskRecording masks the longer of two secrets with the same beginning completely", () => {
  const one = exchange(1, { body: "token-1234567890" });
  const { exchanges } = maskRecording(recording({ exchanges: [one] }), { secrets: ["token-1234", "token-1234567890"] });
  expect(exchanges[0]?.request.body).toBe("***");
});

it("maskRecording masks 5,000 sessions of a long recording within 10 s", () => {
  const exchanges = Array.from({ length: 5_000 }, (_, index) => {
    const id = `session-${index}-${"x".repeat(100)}`;
    return exchange(index, { headers: [["Mcp-Session-Id", id]], body: `{"id":"${id}"}` });
  });
  const startedAt = performance.now();
  const masked = maskRecording(recording({ exchanges }));
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(masked.exchanges.every(({ request }) => request.body === '{"id":"sess***"}')).toBe(true);
});
