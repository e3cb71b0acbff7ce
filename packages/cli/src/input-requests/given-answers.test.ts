import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ElicitFormParams } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { createGivenAnswers } from "./given-answers.ts";
import { collectAnswer, readAnswersFile } from "./parse-answers.ts";

function form(properties: ElicitFormParams["requestedSchema"]["properties"], ...required: string[]): ElicitFormParams {
  return { message: "?", requestedSchema: { type: "object", properties, required } };
}

const color = form({ color: { type: "string", enum: ["red", "blue"] } }, "color");
const age = form({ age: { type: "integer", default: 7 } }, "age");

describe("given answers", () => {
  it("each input request uses the first unused answer that fits", () => {
    const given = createGivenAnswers([{ age: 1 }, { color: "red" }, { color: "blue" }]);
    expect(given.takeForm(color)).toEqual({ action: "accept", content: { color: "red" } });
    expect(given.takeForm(color)).toEqual({ action: "accept", content: { color: "blue" } });
    expect(given.takeForm(color)).toBeUndefined();
    expect(given.unused).toEqual([{ age: 1 }]);
  });

  it("defaults complete an answer (E-88)", () => {
    expect(createGivenAnswers([{}]).takeForm(age)).toEqual({ action: "accept", content: {} });
  });

  it("a refusal fits every form", () => {
    expect(createGivenAnswers([{ action: "decline" }]).takeForm(color)).toEqual({ action: "decline" });
  });

  it("a form with a field named action is answered in full", () => {
    const action = form({ action: { type: "string", enum: ["accept"] } }, "action");
    const answer = { action: "accept", content: { action: "accept" } };
    expect(createGivenAnswers([answer]).takeForm(action)).toEqual(answer);
  });

  it("a URL needs an action, and a sampling request a text", () => {
    const given = createGivenAnswers([{ text: "hello" }, { action: "accept" }]);
    expect(given.takeUrl()).toEqual({ action: "accept" });
    expect(given.takeSampling()).toMatchObject({ role: "assistant", content: { type: "text", text: "hello" } });
    expect(given.unused).toEqual([]);
  });

  it("the reason for a misfit is stated", () => {
    expect(createGivenAnswers([{ color: "green" }]).misfitOf(color)).toBe(
      '{"color":"green"} does not fit: "color" must be one of red, blue',
    );
    expect(createGivenAnswers([{ colour: "red" }]).misfitOf(color)).toContain('no field "colour"');
    expect(createGivenAnswers([]).misfitOf(color)).toBeUndefined();
  });
});

describe("sources of given answers", () => {
  it("--answer may be repeated", () => {
    expect(collectAnswer('{"a": 2}', collectAnswer('{"a": 1}'))).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it.each(["{", "1", "null"])("--answer %s is rejected with its name", (text) => {
    expect(() => collectAnswer(text)).toThrow(/^--answer (is not JSON|must be a JSON object)/);
  });

  it("a file contains one or several answers", async () => {
    const folder = await mkdtemp(join(tmpdir(), "lethe-"));
    const file = join(folder, "answers.json");
    await writeFile(file, '[{"a": 1}, {"b": 2}]');
    expect(await readAnswersFile(file)).toEqual([{ a: 1 }, { b: 2 }]);
    await writeFile(file, "[1]");
    await expect(readAnswersFile(file)).rejects.toThrow(`${file} must be a JSON object`);
    await expect(readAnswersFile(join(folder, "none"))).rejects.toThrow("none: no such file or folder");
    await rm(folder, { recursive: true });
  });
});
