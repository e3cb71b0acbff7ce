// Tools and a prompt that request input during a call. The same handlers serve both revisions.
import type { ElicitSchema } from "@lethe/protocol";
import type { Context, Server } from "@lethe/server";
import { z } from "zod";

export function defineInteraction(server: Server): void {
  defineQuestions(server);
  defineRounds(server);
  defineForms(server);
}

const nameForm = z.object({ name: z.string() });
const confirmForm = z.object({ ok: z.boolean() });

/** Tools with one input request each. */
function defineQuestions(server: Server): void {
  server.tool("test_input_required_result_elicitation", {
    description: "Asks the user for a name",
    async handler(_, ctx) {
      const { name } = await ctx.elicit("What is your name?", nameForm, { key: "user_name" });
      return `Hello, ${name}!`;
    },
  });
  server.tool("test_input_required_result_sampling", {
    description: "Asks the client's model for a capital",
    handler: (_, ctx) => askModel(ctx, "What is the capital of France?", "capital_question"),
  });
  server.tool("test_input_required_result_list_roots", {
    description: "Asks for the client's roots",
    async handler(_, ctx) {
      const roots = await ctx.roots({ key: "client_roots" });
      return `Roots: ${roots.map(({ uri }) => uri).join(", ")}`;
    },
  });
  server.tool("test_input_required_result_capabilities", {
    description: "Requests the input that the client supports",
    async handler(_, ctx) {
      const { sampling, elicitation } = ctx.client.capabilities;
      if (sampling) return askModel(ctx, "Say hello", "greeting");
      if (elicitation) return (await ctx.elicit("What is your name?", nameForm, { key: "user_name" })).name;
      return "This client cannot be asked.";
    },
  });
  server.tool("test_streaming_elicitation", {
    description: "Asks the user to confirm",
    async handler(_, ctx) {
      const { action } = await ctx.tryElicit("Go on?", confirmForm);
      return `The user's answer: ${action}`;
    },
  });
  server.tool("test_sampling", {
    description: "Asks the client's model",
    inputSchema: z.object({ prompt: z.string() }),
    handler: ({ prompt }, ctx) => askModel(ctx, prompt),
  });
  server.prompt("test_input_required_result_prompt", {
    description: "Asks the user for context before it answers",
    async handler(_, ctx) {
      const { context } = await ctx.elicit("What is it about?", z.object({ context: z.string() }), {
        key: "user_context",
      });
      return `Please consider: ${context}`;
    },
  });
}

/** Tools with state or several input requests. */
function defineRounds(server: Server): void {
  server.tool("test_input_required_result_request_state", {
    description: "Asks for a confirmation and remembers that it did",
    async handler(_, ctx) {
      const { ok } = await ctx.elicit("Please confirm", confirmForm, { key: "confirm" });
      return ok ? "state-ok" : "not confirmed";
    },
  });
  server.tool("test_input_required_result_tampered_state", {
    description: "Refuses state that is not its own",
    async handler(_, ctx) {
      const { ok } = await ctx.elicit("Please confirm", confirmForm, { key: "confirm" });
      return `Confirmed: ${ok}`;
    },
  });
  server.tool("test_input_required_result_multiple_inputs", {
    description: "Sends three input requests in one round",
    async handler(_, ctx) {
      const [{ name }, greeting, roots] = await Promise.all([
        ctx.elicit("What is your name?", nameForm, { key: "user_name" }),
        askModel(ctx, "Write a greeting", "greeting"),
        ctx.roots({ key: "client_roots" }),
      ]);
      return `${name}, ${greeting}, ${roots.length} roots`;
    },
  });
  server.tool("test_input_required_result_multi_round", {
    description: "Asks a question that depends on the answer to another",
    async handler(_, ctx) {
      const { name } = await ctx.elicit("Step 1: what is your name?", nameForm, { key: "step1" });
      const { color } = await ctx.elicit(`Step 2: ${name}, which colour?`, z.object({ color: z.string() }), {
        key: "step2",
      });
      return `${name} likes ${color}`;
    },
  });
}

/** Forms whose schemas the suite checks. */
function defineForms(server: Server): void {
  server.tool("test_elicitation", {
    description: "Elicits the given message",
    inputSchema: z.object({ message: z.string() }),
    async handler({ message }, ctx) {
      const form = z.object({ username: z.string().optional(), email: z.string().optional() });
      const answer = await ctx.tryElicit(message, form);
      const content = answer.action === "accept" ? answer.content : {};
      return `User response: action=${answer.action}, content=${JSON.stringify(content)}`;
    },
  });
  server.tool("test_elicitation_sep1034_defaults", {
    description: "Shows a form with a default in every field",
    async handler(_, ctx) {
      const answer = await ctx.tryElicit("Please review the defaults", defaultsForm);
      return `Elicitation completed: ${JSON.stringify(answer)}`;
    },
  });
  server.tool("test_elicitation_sep1330_enums", {
    description: "Shows a form with every kind of choice",
    async handler(_, ctx) {
      const answer = await ctx.tryElicit("Please choose", choicesForm);
      return `Elicitation completed: ${JSON.stringify(answer)}`;
    },
  });
}

const defaultsForm = z.object({
  name: z.string().default("John Doe"),
  age: z.int().default(30),
  score: z.number().default(95.5),
  status: z.enum(["active", "inactive", "pending"]).default("active"),
  verified: z.boolean().default(true),
});

const titled = [1, 2, 3].map((number) => ({ const: `value${number}`, title: `Option ${number}` }));
const untitled = ["option1", "option2", "option3"];

/** Plain JSON Schema, because no schema library supports `enumNames`. */
const choicesForm: ElicitSchema = {
  type: "object",
  properties: {
    untitledSingle: { type: "string", enum: untitled },
    titledSingle: { type: "string", oneOf: titled },
    legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
    untitledMulti: { type: "array", items: { type: "string", enum: untitled } },
    titledMulti: { type: "array", items: { anyOf: titled } },
  },
};

async function askModel(ctx: Context, prompt: string, key?: string): Promise<string> {
  const { content } = await ctx.sample(
    { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 100 },
    key === undefined ? {} : { key },
  );
  const blocks = Array.isArray(content) ? content : [content];
  return `LLM response: ${blocks.map((block) => (block.type === "text" ? block.text : block.type)).join(" ")}`;
}
