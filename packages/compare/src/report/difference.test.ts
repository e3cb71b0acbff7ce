// Tests of toDifferences and diffLines.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Recording } from "../record/recording.ts";
import { exchange, recording } from "../testing/recordings.ts";
import { diffLines, toDifferences } from "./difference.ts";

function run(of: { id: number; port: number; session: string; word: string; at: string }): Recording {
  const { id, port, session, word, at } = of;
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "greet", arguments: { id: 1, word } },
  });
  const result = { resultType: "input_required", requestState: `v1.${session}`, content: [{ type: "text", text: at }] };
  const answer = JSON.stringify({ jsonrpc: "2.0", id, result });
  const headers = [
    ["Host", `127.0.0.1:${port}`],
    ["Mcp-Session-Id", session],
    ["Accept", "*/*"],
  ] as const;
  return recording({
    exchanges: [exchange(1, { body, headers, target: `/mcp?session_id=${session}` }, { body: answer })],
  });
}

const one = { id: 1, port: 3000, session: "aaaa-bbbb", word: "hello", at: "2026-07-28T10:00:00.000Z" };
const script = (recordings: Recording[]) => ({ version: 1 as const, script: "", recordings });

it("toDifferences ignores ids, ports, sessions, states and times", () => {
  const other = { ...one, id: 99, port: 4711, session: "cccc-dddd", at: "2027-01-01T00:00:00Z" };
  expect(toDifferences(script([run(one)]), script([run(other)]))).toEqual([{ title: "Streamable HTTP", lines: [] }]);
});

it("toDifferences ignores task ids in any place, and masked session ids", () => {
  const asked = (taskId: string, session: string) =>
    recording({
      exchanges: [
        exchange(
          1,
          { headers: [["Mcp-Name", taskId]], body: JSON.stringify({ jsonrpc: "2.0", id: 1, params: { taskId } }) },
          { body: `asked about ${taskId} in session ${session}***` },
        ),
      ],
    });
  const [difference] = toDifferences(
    script([asked("9Mhe9Jz84dg_z", "c8f6")]),
    script([asked("D-weuP0rIoKo9", "88d0")]),
  );
  expect(difference?.lines).toEqual([]);
});

it("toDifferences reports a changed argument next to one named id", () => {
  const [difference] = toDifferences(script([run(one)]), script([run({ ...one, word: "bye" })]));
  const changed = difference?.lines.filter((line) => !line.startsWith("  ")).map((line) => line.replace(/\s+/g, " "));
  expect(changed).toEqual(['- "word": "hello"', '+ "word": "bye"']);
});

it("toDifferences names a transport that only one comparison has", () => {
  const sse = { ...run(one), id: "http-sse", title: "HTTP+SSE" };
  expect(toDifferences(script([run(one), sse]), script([run(one)]))).toContainEqual({
    title: "HTTP+SSE",
    lines: ["- only in the first"],
  });
});

it("diffLines contains both texts: without removed lines the second, without added lines the first", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (a, b) => {
      const diff = diffLines(a, b);
      const without = (sign: string) => diff.filter((line) => !line.startsWith(sign)).map((line) => line.slice(2));
      expect([without("+"), without("-")]).toEqual([a, b]);
    }),
  );
});

it("diffLines shows two long texts without common lines as replaced", () => {
  const lines = (letter: string) => Array.from({ length: 20_000 }, (_, index) => `${letter}${index}`);
  const shown = diffLines(["same", ...lines("a")], ["same", ...lines("b")]);
  expect(shown).toHaveLength(40_001);
  expect([shown[0], shown[1], shown.at(-1)]).toEqual(["  same", "- a0", "+ b19999"]);
});
