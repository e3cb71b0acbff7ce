// Form elicitation in a terminal (E-86 to E-89): arrow keys choose, values are checked before they are accepted, and long text has
// several lines, or is written in the user's editor.
import { checkContent, type FormContent } from "@lethe/client";
import type { ElicitFormParams, ElicitResult, ElicitValue } from "@lethe/protocol";
import type { Editor } from "../terminal/editor.ts";
import { toPrintable, toPrintableLine } from "../terminal/printable.ts";
import { Refusal, type Terminal } from "../terminal/prompt.ts";
import type { Style } from "../terminal/style.ts";
import { type Field, readAnswer } from "./ask-form.ts";
import { describeField } from "./describe-field.ts";
import { choicesOf } from "./field-choices.ts";
import { isLong } from "./long-text.ts";

type Prompts = typeof import("@clack/prompts");

/** Where prompts appear, and until when. */
export interface FormScreen extends Terminal {
  readonly signal: AbortSignal;
  /** Offered for long text. Default: none. */
  readonly editor?: Editor | undefined;
}

/** Rejects with Refusal if the user declines or cancels, or with the reason of the signal. */
export async function askFormByKeys(
  screen: FormScreen,
  { message, requestedSchema }: ElicitFormParams,
  style: Style,
): Promise<ElicitResult> {
  const form = new KeyForm(await import("@clack/prompts"), screen, style);
  const { properties, required = [] } = requestedSchema;
  screen.output.write(`${toPrintable(message)}\n${style.dim("Esc or Ctrl-C cancels.")}\n`);
  let content: FormContent = {};
  for (;;) {
    const given: FormContent = {};
    for (const [field, schema] of Object.entries(properties)) {
      const before = Object.hasOwn(content, field) ? content[field] : schema.default;
      const value = await form.ask({ field, schema, before, isRequired: required.includes(field) });
      if (value !== undefined) given[field] = value;
    }
    content = given;
    if (await form.isConfirmed(content)) return { action: "accept", content };
  }
}

class KeyForm {
  readonly #prompts: Prompts;
  readonly #screen: FormScreen;
  readonly #style: Style;

  constructor(prompts: Prompts, screen: FormScreen, style: Style) {
    this.#prompts = prompts;
    this.#screen = screen;
    this.#style = style;
  }

  /** Resolves with undefined for an omitted field. */
  async ask(field: Field): Promise<ElicitValue | undefined> {
    const choices = choicesOf(field.schema);
    if (field.schema.type === "boolean")
      return this.#choose(
        field,
        [true, false].map((value) => ({ value, title: value ? "Yes" : "No" })),
      );
    if (field.schema.type === "array") return this.#chooseSome(field);
    if (choices) return this.#choose(field, choices);
    const { editor } = this.#screen;
    return editor && isLong(field.schema) ? this.#write(field, editor) : this.#type(field);
  }

  /** Resolves with false to edit the form again. */
  async isConfirmed(content: FormContent): Promise<boolean> {
    const shown = Object.keys(content).length === 0 ? "" : ` ${toPrintableLine(JSON.stringify(content))}`;
    const answer = await this.#settle(
      this.#prompts.select({
        ...this.#screen,
        message: `Send${shown}?`,
        options: [
          { value: "send", label: "Send" },
          { value: "edit", label: "Edit" },
          { value: "decline", label: "Decline" },
          { value: "cancel", label: "Cancel" },
        ],
      }),
    );
    if (answer === "decline" || answer === "cancel") throw new Refusal(answer);
    return answer === "send";
  }

  async #choose<T extends ElicitValue>(
    field: Field,
    choices: readonly { value: T; title: string }[],
  ): Promise<T | undefined> {
    const options = choices.map(({ value, title }, index) => ({ value: index, ...labelOf(title, value) }));
    const none = { value: -1, label: this.#style.dim("leave out") };
    const initialValue = choices.findIndex(({ value }) => value === field.before);
    const index = await this.#settle(
      this.#prompts.select({
        ...this.#screen,
        message: this.#toHeading(field),
        options: field.isRequired ? options : [...options, none],
        ...((initialValue >= 0 || !field.isRequired) && { initialValue }),
      }),
    );
    return choices[index]?.value;
  }

  /** Asks again until the number of choices is valid. */
  async #chooseSome(field: Field): Promise<string[] | undefined> {
    const choices = choicesOf(field.schema) ?? [];
    for (;;) {
      const before: unknown[] = Array.isArray(field.before) ? field.before : [];
      const values = await this.#settle(
        this.#prompts.multiselect({
          ...this.#screen,
          message: this.#toHeading(field),
          options: choices.map(({ value, title }) => ({ value, ...labelOf(title, value) })),
          initialValues: choices.map(({ value }) => value).filter((value) => before.includes(value)),
          required: field.isRequired,
        }),
      );
      if (values.length === 0 && !field.isRequired) return undefined;
      const problem = problemOf(field, values);
      if (problem === undefined) return values;
      this.#prompts.log.warn(toPrintableLine(problem), { output: this.#screen.output });
    }
  }

  /** Offers the editor, with what was written before, until the text is valid. */
  async #write(field: Field, editor: Editor): Promise<ElicitValue | undefined> {
    let text = field.before === undefined ? "" : toPrintable(String(field.before));
    for (;;) {
      const way = await this.#settle(
        this.#prompts.select({
          ...this.#screen,
          message: this.#toHeading(field, ""),
          options: [
            { value: "editor", label: `Write in ${toPrintableLine(editor.name)}` },
            { value: "here", label: "Type here" },
            ...(field.isRequired ? [] : [{ value: "none", label: this.#style.dim("leave out") }]),
          ],
        }),
      );
      if (way === "none") return undefined;
      if (way === "here") return this.#type(text === "" ? field : { ...field, before: text });
      const { problem, value, written } = await this.#edit(field, editor, text);
      if (problem === undefined) return value;
      text = written;
      this.#prompts.log.warn(toPrintableLine(problem), { output: this.#screen.output });
    }
  }

  /** Resolves with the value of an empty text or a valid one, otherwise with what is wrong. */
  async #edit(
    field: Field,
    editor: Editor,
    text: string,
  ): Promise<{ problem?: string; value?: ElicitValue; written: string }> {
    const { signal } = this.#screen;
    try {
      const written = await editor.edit(text, signal);
      if (written === "" && !field.isRequired) return { written };
      return { ...readAnswer(field, written), written };
    } catch (error) {
      signal.throwIfAborted();
      return { problem: (error as Error).message, written: text };
    }
  }

  async #type(field: Field): Promise<ElicitValue | undefined> {
    const { before, isRequired } = field;
    const options = {
      ...this.#screen,
      message: this.#toHeading(field),
      ...(before !== undefined && { initialValue: toPrintable(String(before)) }),
      validate(text: string | undefined = "") {
        if (text === "" && !isRequired) return undefined;
        const read = readAnswer(field, text);
        return "problem" in read ? toPrintableLine(read.problem) : undefined;
      },
    };
    const text = await this.#settle(
      isLong(field.schema) ? this.#prompts.multiline(options) : this.#prompts.text(options),
    );
    if (text === undefined || text === "") return undefined;
    const read = readAnswer(field, text);
    return "value" in read ? read.value : undefined;
  }

  async #settle<T>(answer: Promise<T>): Promise<Exclude<T, symbol>> {
    const value = await answer;
    this.#screen.signal.throwIfAborted();
    if (typeof value === "symbol") throw new Refusal("cancel");
    return value as Exclude<T, symbol>;
  }

  #toHeading({ field, schema, isRequired }: Field, end = isLong(schema) ? ", Enter twice ends it" : ""): string {
    const title = this.#style.bold(toPrintableLine(schema.title ?? field));
    const kind = choicesOf(schema) || schema.type === "boolean" ? "" : `: ${describeField(schema)}${end}`;
    const description = schema.description === undefined ? "" : `\n${toPrintable(schema.description)}`;
    return `${title}${this.#style.dim(`${kind}${isRequired ? "" : ", optional"}`)}${description}`;
  }
}

function labelOf(title: string, value: ElicitValue): { label: string; hint?: string } {
  const label = toPrintableLine(title);
  return typeof value !== "string" || title === value ? { label } : { label, hint: toPrintableLine(value) };
}

function problemOf({ field, schema }: Field, value: ElicitValue): string | undefined {
  return checkContent({ type: "object", properties: { [field]: schema } }, { [field]: value });
}
