import type { InputRequest } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { readAnswers } from "./read-answers.ts";

const question: InputRequest = { method: "roots/list" };
const answer = { roots: [] };

describe("answers", () => {
  it("are those that were asked for; null is none", () => {
    const questions = Object.entries({ a: question, b: question, c: question });
    expect(readAnswers(questions, { a: answer, b: null, d: answer })).toEqual({ a: answer });
  });

  it("that fit no question are refused, whatever their key", () => {
    for (const key of ["a", "constructor"]) {
      expect(() => readAnswers([[key, question]], { [key]: "no roots" })).toThrow(
        expect.objectContaining({
          code: -32602,
          message: expect.stringContaining(`"${key}" is no answer to roots/list`),
        }),
      );
      expect(readAnswers([[key, question]], {})).toEqual({});
    }
  });

  it("under the name of what every object has are kept as well", () => {
    expect(Object.entries(readAnswers([["__proto__", question]], JSON.parse('{"__proto__":{"roots":[]}}')))).toEqual([
      ["__proto__", answer],
    ]);
  });
});
