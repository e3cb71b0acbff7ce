import type { InputRequest } from "@lethe/protocol";
import { expect, it } from "vitest";
import { readAnswers } from "./read-answers.ts";

const request: InputRequest = { method: "roots/list" };
const answer = { roots: [] };

it("readAnswers returns the answers to the input requests, and treats null as no answer", () => {
  const requests = { a: request, b: request, c: request };
  expect(readAnswers(requests, { a: answer, b: null, d: answer })).toEqual({ a: answer });
});

it("readAnswers rejects an answer that does not fit its input request, under any key", () => {
  for (const key of ["a", "constructor"]) {
    expect(() => readAnswers({ [key]: request }, { [key]: "no roots" })).toThrow(
      expect.objectContaining({
        code: -32602,
        message: expect.stringContaining(`"${key}" is no answer to roots/list`),
      }),
    );
    expect(readAnswers({ [key]: request }, {})).toEqual({});
  }
});

it("readAnswers accepts an answer under the name of an inherited property", () => {
  const requests = Object.fromEntries([["__proto__", request]]);
  const responses = JSON.parse('{"__proto__":{"roots":[]}}');
  expect(Object.entries(readAnswers(requests, responses))).toEqual([["__proto__", answer]]);
});
