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
  it("a form numbers its choices and confirms before sending (E-89)", async () => {
    const color = { type: "string", oneOf: [{ const: "r", title: "Red" }] } as const;
    const { result, shown } = await fillIn({ color }, ["color"], "1", "");
    expect(result).toEqual({ action: "accept", content: { color: "r" } });
    expect(shown).toContain("Well?");
    expect(shown).toContain("  1) Red (r)\n");
    expect(shown).toContain('Send {"color":"r"}?');
  });

  it("an empty line means the default, and omits an optional field (E-88)", async () => {
    const { result, shown } = await fillIn(
      { name: { type: "string", default: "Ada" }, age: { type: "integer" } },
      ["name"],
      ...["", "", "y"],
    );
    expect(result).toEqual({ action: "accept", content: { name: "Ada" } });
    expect(shown).toContain("[Ada] > ");
    expect(shown).toContain("age: a whole number, optional");
  });

  it("a form prompts again until the value is valid", async () => {
    const age = { type: "integer", minimum: 1, maximum: 9 } as const;
    const { result, shown } = await fillIn({ age }, ["age"], "", "x", "10", "9", "");
    expect(result).toEqual({ action: "accept", content: { age: 9 } });
    expect(shown).toContain("! a value is required");
    expect(shown).toContain("! enter a number");
    expect(shown).toContain('! "age" must be between 1 and 9');
  });

  it("editing a form again offers the earlier values as defaults", async () => {
    const text = { type: "string" } as const;
    const { result } = await fillIn({ a: text, b: text }, ["a", "b"], "1", "2", "e", "", "3", "yes");
    expect(result).toEqual({ action: "accept", content: { a: "1", b: "3" } });
  });

  it.each([
    ["d", "decline"],
    ["cancel", "cancel"],
  ])("a form is refused at the confirmation by %s", async (word, action) => {
    expect((await fillIn({}, [], "what?", word)).result).toBe(action);
  });

  it("a form can be refused at any field", async () => {
    expect((await fillIn({ a: { type: "string" } }, ["a"])).result).toBe("decline");
  });

  it("text of a form cannot move the cursor", async () => {
    const { shown } = await fillIn({ "a\u001b[2J": { type: "string", description: "\u001b[1A" } }, [], "", "");
    expect(shown).not.toContain("\u001b");
  });
});
