// The callbacks of one run of a handler: their URLs, and the bodies of the requests that completed them.
import { checkOptions, type JsonObject } from "@lethe/protocol";
import { type Callback, type CallbackOptions, knownCallbackOptions } from "../features/callback.ts";
import { toMs } from "../features/duration.ts";
import { toIssueText } from "../features/issue-text.ts";
import type { Check } from "../features/json-check.ts";
import { compileSchema, type Schema } from "../features/schema.ts";
import { ToolError } from "../features/tool-error.ts";
import type { HandlerRun } from "./handler-run.ts";
import type { JournalHome } from "./journal.ts";
import { refused } from "./quiet.ts";
import { derive } from "./step-promise.ts";

/** The state of a task keeps the bodies that its handler has not received yet. */
const maxCallbacks = 32;
/** The state of a task keeps the schemas of open callbacks. */
const maxCallbackSchemaBytes = 16_384;

export class Callbacks {
  readonly #run: HandlerRun;
  readonly #home: JournalHome | undefined;
  #count = 0;

  constructor(run: HandlerRun, home: JournalHome | undefined) {
    this.#run = run;
    this.#home = home;
  }

  /** Callbacks are numbered in the order of their calls. Throws for invalid options. */
  create(options: CallbackOptions<Schema>): Promise<Callback> {
    checkOptions("ctx.callback", options, knownCallbackOptions);
    const { schema, timeout = "1 day" } = options;
    const timeoutMs = toMs(timeout);
    const compiled = schema && compileSchema(schema, { direction: "input" });
    const storedSchema = compiled && toStoredSchema(compiled.jsonSchema);
    const home = this.#home;
    if (!home?.callbackUrl) {
      return refused(
        'ctx.callback: a call that is no task cannot wait for a callback. Define the tool with task: "auto" or "always", and call it with ' +
          "a client that declares tasks",
      );
    }
    if (this.#count === maxCallbacks) return refused(`ctx.callback: a task has at most ${maxCallbacks} callbacks`);
    this.#count += 1;
    const key = `callback ${this.#count}`;
    // The journal keeps the URL, so that input requests and steps that contain it stay the same.
    const url = this.#run.once(undefined, () => home.callbackUrl?.(key, storedSchema) as Promise<string>);
    return derive(url, (text) => ({ url: text, received: () => this.#receive(key, timeoutMs, compiled?.check) }));
  }

  #receive(key: string, timeoutMs: number, check: Check | undefined): Promise<unknown> {
    return derive(this.#run.callback(key, timeoutMs), async (end) => {
      if (end === undefined) throw new ToolError(`no callback arrived within ${timeoutMs} ms`);
      const checked = (await check?.(end.body)) ?? { value: end.body };
      if (checked.issues) throw new ToolError(`the body of a callback is invalid: ${toIssueText(checked.issues)}`);
      return checked.value;
    });
  }
}

/** Plain JSON: the JSON Schema of a library may contain more than its text. */
function toStoredSchema(schema: JsonObject): JsonObject {
  const text = JSON.stringify(schema);
  const size = new TextEncoder().encode(text).length;
  if (size <= maxCallbackSchemaBytes) return JSON.parse(text);
  throw new Error(
    `ctx.callback: a schema of at most ${maxCallbackSchemaBytes} bytes as JSON expected, got ${size} bytes; check the rest in the handler`,
  );
}
