import type { InputRequests } from "@lethe/protocol";
import { expect, it } from "vitest";
import { answerInputRequests } from "./answer-input-requests.ts";

const signal = new AbortController().signal;
const context = { server: "s", method: "tools/call", target: "t", signal, isCertain: true };

it.each([
  [{ method: { toString: 1 } }, "an object"],
  [{ method: [[]] }, "an array"],
  [{}, "nothing"],
  [null, "nothing"],
  [{ method: "tools/list" }, "tools/list"],
])("rejects the input request %j with a TransportError", async (request, named) => {
  const inputRequests = { a: request } as unknown as InputRequests;
  await expect(answerInputRequests(inputRequests, {}, context)).rejects.toMatchObject({
    name: "TransportError",
    message: expect.stringContaining(named),
  });
});
