import type { ElicitFormParams, ElicitSchema } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { withPrompt } from "../terminal/prompt.ts";
import { createStyle } from "../terminal/style.ts";
import { createFakeTerminal } from "../testing/fake-terminal.ts";
import { askForm } from "./ask-form.ts";

const style = createStyle({});
const { signal } = new AbortController();

async function fillIn(properties: ElicitSchema["properties"], required: string[], ...lines: string[]) {
  const terminal = createFakeTerminal(lines);
  const params: ElicitFormParams = { message: "Well?", requestedSchema: { type: "object", properties, required } };
  const result = await withPrompt(terminal, signal, (prompt) => askForm(prompt, params, style)).catch(
    (error: { action: string }) => error.action,
  );
  return { result, shown: terminal.shown() };
}

describe("a form in the terminal", () => {
  it("numbers its choices, and shows the answer before it is sent (E-89)", async () => {
    const color = { type: "string", oneOf: [{ const: "r", title: "Red" }] } as const;
    const { result, shown } = await fillIn({ color }, ["color"], "1", "");
    expect(result).toEqual({ action: "accept", content: { color: "r" } });
    expect(shown).toContain("Well?");
    expect(shown).toContain("  1) Red (r)\n");
    expect(shown).toContain('Send {"color":"r"}?');
  });

  it("takes the default for an empty line, and leaves out what may be left out (E-88)", async () => {
    const { result, shown } = await fillIn(
      { name: { type: "string", default: "Ada" }, age: { type: "integer" } },
      ["name"],
      ...["", "", "y"],
    );
    expect(result).toEqual({ action: "accept", content: { name: "Ada" } });
    expect(shown).toContain("[Ada] > ");
    expect(shown).toContain("age: a whole number, may be left out");
  });

  it("asks again until a value fits", async () => {
    const age = { type: "integer", minimum: 1, maximum: 9 } as const;
    const { result, shown } = await fillIn({ age }, ["age"], "", "x", "10", "9", "");
    expect(result).toEqual({ action: "accept", content: { age: 9 } });
    expect(shown).toContain("! an answer is needed");
    expect(shown).toContain("! a number is needed");
    expect(shown).toContain('! "age" must be between 1 and 9');
  });

  it("is filled in once more on request, with what was given as default", async () => {
    const text = { type: "string" } as const;
    const { result } = await fillIn({ a: text, b: text }, ["a", "b"], "1", "2", "e", "", "3", "yes");
    expect(result).toEqual({ action: "accept", content: { a: "1", b: "3" } });
  });

  it.each([
    ["d", "decline"],
    ["cancel", "cancel"],
  ])("may be refused at its end by %s", async (word, action) => {
    expect((await fillIn({}, [], "what?", word)).result).toBe(action);
  });

  it("may be refused at any field", async () => {
    expect((await fillIn({ a: { type: "string" } }, ["a"])).result).toBe("decline");
  });

  it("cannot move the cursor", async () => {
    const { shown } = await fillIn({ "a\u001b[2J": { type: "string", description: "\u001b[1A" } }, [], "", "");
    expect(shown).not.toContain("\u001b");
  });
});
