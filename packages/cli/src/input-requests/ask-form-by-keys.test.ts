import type { ElicitFormParams, ElicitSchema } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import type { Editor } from "../terminal/editor.ts";
import { createStyle } from "../terminal/style.ts";
import { createKeyTerminal, type KeyStep, keys } from "../testing/key-terminal.ts";
import { askFormByKeys } from "./ask-form-by-keys.ts";

const style = createStyle({});
const { down, enter, space, ctrlC } = keys;

function fillIn(properties: ElicitSchema["properties"], required: string[], ...steps: KeyStep[]) {
  return fillInWith(undefined, properties, required, ...steps);
}

async function fillInWith(
  editor: Editor | undefined,
  properties: ElicitSchema["properties"],
  required: string[],
  ...steps: KeyStep[]
) {
  const terminal = createKeyTerminal(...steps);
  const { signal } = new AbortController();
  const params: ElicitFormParams = { message: "Well?", requestedSchema: { type: "object", properties, required } };
  const result = await askFormByKeys({ ...terminal, signal, editor }, params, style).catch(
    (error: { action: string }) => error.action,
  );
  return { result, shown: terminal.shown() };
}

const send = ["Send", enter] as const;

describe("a form at a terminal with a cursor", () => {
  it("offers choices that arrow keys select, and sends after a confirmation (E-89)", async () => {
    const color = {
      type: "string",
      oneOf: [
        { const: "r", title: "Red" },
        { const: "g", title: "Green" },
      ],
    } as const;
    const { result, shown } = await fillIn({ color }, ["color"], ["Green", down, enter], send);
    expect(result).toEqual({ action: "accept", content: { color: "g" } });
    expect(shown).toContain("Well?");
    expect(shown).toContain('Send {"color":"g"}?');
  });

  it("selects several choices with the space bar, and asks again if there are too few", async () => {
    const items = { type: "string" as const, enum: ["Mon", "Tue", "Wed"] };
    const days = { type: "array" as const, items, minItems: 2 };
    const { result } = await fillIn(
      { days },
      ["days"],
      ["Wed", space, enter],
      ["Wed", space, down, space, enter],
      send,
    );
    expect(result).toEqual({ action: "accept", content: { days: ["Mon", "Tue"] } });
  });

  it("shows what is wrong with a value and accepts the corrected one", async () => {
    const age = { type: "integer", minimum: 1, maximum: 9 } as const;
    const { result, shown } = await fillIn(
      { age },
      ["age"],
      ["whole number", "x", enter],
      ["enter a number", "\u007f", "7", enter],
      send,
    );
    expect(result).toEqual({ action: "accept", content: { age: 7 } });
    expect(shown).toContain("enter a number");
  });

  it("starts with the default, and omits an optional field that stays empty (E-88)", async () => {
    const { result } = await fillIn(
      { name: { type: "string", default: "Ada" }, isNew: { type: "boolean" }, note: { type: "string" } },
      ["name"],
      ["name", enter],
      ["isNew", enter],
      ["note", enter],
      send,
    );
    expect(result).toEqual({ action: "accept", content: { name: "Ada" } });
  });

  it("offers the earlier values when the form is edited again", async () => {
    const { result } = await fillIn(
      { a: { type: "string" } },
      ["a"],
      ["a: text", "x", enter],
      ["Send", down, enter],
      ["a: text", "y", enter],
      send,
    );
    expect(result).toEqual({ action: "accept", content: { a: "xy" } });
  });

  it.each([
    ["decline", [down, down, enter]],
    ["cancel", [down, down, down, enter]],
  ])("can be refused at the confirmation: %s", async (action, pressed) => {
    expect((await fillIn({}, [], ["Send", ...pressed])).result).toBe(action);
  });

  it("is cancelled by Ctrl-C at any field", async () => {
    expect((await fillIn({ a: { type: "string" } }, ["a"], ["a: text", ctrlC])).result).toBe("cancel");
  });

  it("takes several lines for text that may be long", async () => {
    const story = { type: "string", maxLength: 5_000 } as const;
    const { result } = await fillIn({ story }, ["story"], ["story: text", "one", enter, "two", enter, enter], send);
    expect(result).toEqual({ action: "accept", content: { story: "one\ntwo" } });
  });

  it("offers the editor for long text, and opens it again with the text that was not valid", async () => {
    const story = { type: "string", minLength: 5, maxLength: 5_000, default: "once" } as const;
    const opened: string[] = [];
    const texts = ["hi", "one\ntwo"];
    const editor = {
      name: "vim",
      async edit(text: string) {
        opened.push(text);
        return texts[opened.length - 1] ?? "";
      },
    };
    const write = ["Write in vim", enter] as const;
    const { result, shown } = await fillInWith(editor, { story }, ["story"], write, ["must be 5 to 5000", enter], send);
    expect(result).toEqual({ action: "accept", content: { story: "one\ntwo" } });
    expect(opened).toEqual(["once", "hi"]);
    expect(shown).toContain("Type here");
  });

  it("says why an editor failed, and takes the text here instead", async () => {
    const notes = { type: "string", description: "Several lines are welcome" } as const;
    const editor = { name: "vi", edit: () => Promise.reject(new Error("vi ended with exit code 1")) };
    const { result } = await fillInWith(
      editor,
      { notes },
      [],
      ["Write in vi", enter],
      ["exit code 1", down, enter],
      ["Enter twice", "x", enter, enter],
      send,
    );
    expect(result).toEqual({ action: "accept", content: { notes: "x" } });
  });

  it("offers no editor for short text, and leaves optional long text out", async () => {
    const editor = { name: "vi", edit: () => Promise.reject(new Error("not expected")) };
    const properties = { name: { type: "string", maxLength: 200 }, story: { type: "string", maxLength: 201 } } as const;
    const steps: KeyStep[] = [
      ["name: text", "x", enter],
      ["Write in vi", down, down, enter],
    ];
    const { result } = await fillInWith(editor, properties, ["name"], ...steps, send);
    expect(result).toEqual({ action: "accept", content: { name: "x" } });
  });

  it("shows no control characters of the server", async () => {
    const evil = { type: "string", title: "a\u001b[2Jb", description: "\u001b[1A" } as const;
    const { shown } = await fillIn({ evil }, [], ["2Jb", enter], send);
    expect(shown).not.toContain("\u001b[2J");
  });
});
