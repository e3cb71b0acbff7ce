import { expect, it } from "vitest";
import { createFetchSend } from "./fetch-send.ts";
import { withAffinity } from "./with-affinity.ts";

const url = new URL("https://mcp.example.com/mcp");

/** Sends requests to servers that answer with these hints in turn, and records the hints of the requests. */
function record(...hints: (string | undefined)[]) {
  const sent: (string | null)[] = [];
  const answers = hints.values();
  const send = createFetchSend(async (_, { headers }) => {
    sent.push(new Headers(headers).get("lethe-affinity"));
    const hint = answers.next().value;
    return new Response("{}", { headers: hint === undefined ? {} : { "Lethe-Affinity": hint } });
  });
  return { sent, send: withAffinity(send, url) };
}

const request = { url, method: "POST", headers: {} } as const;

it("a request contains the hint of the last response that had one", async () => {
  const { sent, send } = record("hint-one", undefined, "hint-two", undefined);
  for (let count = 0; count < 4; count += 1) await send(request);
  expect(sent).toEqual([null, "hint-one", "hint-one", "hint-two"]);
});

it("a hint is not sent to another origin, and another origin cannot set it", async () => {
  const { sent, send } = record("hint-one", "hint-two", undefined);
  await send(request);
  await send({ ...request, url: new URL("https://other.example.com/mcp") });
  await send(request);
  expect(sent).toEqual([null, null, "hint-one"]);
});

it.each(["", "short", "has spaces in it", "x".repeat(65), "söft-hint"])("the value %j is no hint", async (hint) => {
  const { sent, send } = record(/^[\x20-\x7e]*$/.test(hint) ? hint : undefined, undefined);
  await send(request);
  await send(request);
  expect(sent).toEqual([null, null]);
});

it("a hint that the user sets takes precedence", async () => {
  const { sent, send } = record("hint-one", undefined);
  await send(request);
  await send({ ...request, headers: { "lethe-affinity": "own-hint" } });
  expect(sent).toEqual([null, "own-hint"]);
});
