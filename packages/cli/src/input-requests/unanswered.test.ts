import { expect, it } from "vitest";
import { exitCode } from "../exit-code.ts";
import { unansweredForm, unansweredSampling, unansweredUrl } from "./unanswered.ts";

it("the error names every field and shows a valid answer", () => {
  const error = unansweredForm(
    {
      message: "Who?",
      requestedSchema: {
        type: "object",
        properties: {
          name: { type: "string", maxLength: 20 },
          size: { type: "string", enum: ["it's small", "large"] },
          tags: { type: "array", items: { enum: ["a", "b"] }, minItems: 1 },
          age: { type: "integer", minimum: 18 },
          sure: { type: "boolean" },
          mail: { type: "string", format: "email" },
        },
        required: ["name", "size", "tags", "age", "sure"],
      },
    },
    undefined,
  );
  expect(error.exitCode).toBe(exitCode.unanswered);
  expect(error.message).toMatchInlineSnapshot(`
    "the server requests input: Who?
      name: text of at most 20 characters long
      size: one of it's small, large
      tags: a list of a, b, at least 1 of them
      age: a whole number of at least 18
      sure: true or false
      mail: text (email), optional
    Answer with --answer '{"name":"…","size":"it'\\''s small","tags":["a"],"age":18,"sure":true}', once for each input request, or run the command in a terminal."
  `);
});

it("the error states why a given answer does not fit", () => {
  const params = { message: "Who?", requestedSchema: { type: "object" as const, properties: {} } };
  expect(unansweredForm(params, "it is wrong").message).toContain("\nit is wrong\n");
});

it("the errors for a URL and for sampling contain the request", () => {
  expect(unansweredUrl({ mode: "url", message: "Pay", url: "https://pay.example/" }).message).toContain(
    `https://pay.example/\nAnswer with --answer '{"action":"accept"}'`,
  );
  const messages = [{ role: "user" as const, content: { type: "text" as const, text: "\u001bhi" } }];
  expect(unansweredSampling({ messages, maxTokens: 1 }).message).toContain("\n  user: \\u001bhi\n");
});

it("text of a form reaches the terminal without control characters", () => {
  const schema = { type: "integer", minimum: "\u001b[2J", default: "\u009b2J" };
  const { message } = unansweredForm(
    {
      message: "?",
      requestedSchema: { type: "object", properties: { "\u009bA": schema as never }, required: ["\u009bA"] },
    },
    undefined,
  );
  for (const control of ["\u001b", "\u009b"]) expect(message).not.toContain(control);
  expect(message).toContain('{"\\u009bA":"\\u009b2J"}');
});
