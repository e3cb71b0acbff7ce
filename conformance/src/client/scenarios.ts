// The actions of the client in each scenario of the suite (J-81).
import type { Client } from "@lethe/client";
import { type SkillsApi, SkillVerificationError, skills } from "@lethe/client/extensions";
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { authorizerFor } from "./authorizers.ts";
import { type Task, withClient } from "./task.ts";

type Scenario = (task: Task) => Promise<void>;

/** A scenario that connects and then runs `use`. */
const doing =
  (use: (client: Client, task: Task) => Promise<unknown>): Scenario =>
  (task) =>
    withClient(task, (client) => use(client, task));

/** A scenario that uses the skills of a server. */
const usingSkills = (use: (api: SkillsApi) => Promise<unknown>): Scenario => {
  const known = skills();
  return (task) => withClient(task, (client) => use(client.extension(known)), { extensions: [known] });
};

/** Loads the first skill. Reads another file of it only if its SKILL.md is what its entry states. */
const loadSkill = usingSkills(async (api) => {
  const [skill] = await api.list();
  if (!skill) return;
  try {
    await api.read(skill);
    await api.read(skill, "references/FORMS.md");
  } catch (error) {
    if (!(error instanceof SkillVerificationError)) throw error;
  }
});

const scenarios: Readonly<Record<string, Scenario>> = {
  initialize: doing((client) => client.listTools()),

  tools_call: doing(async (client) => {
    await client.listTools();
    await client.callTool("add_numbers", { a: 5, b: 3 });
  }),

  "elicitation-sep1034-client-defaults": (task) =>
    withClient(task, (client) => client.callTool("test_client_elicitation_defaults"), {
      // The defaults of the form are filled in by the client (E-88).
      elicit: () => ({ action: "accept", content: {} }),
    }),

  "sse-retry": doing((client) => client.callTool("test_reconnection")),

  // Declares every capability of clients, each of which the suite then checks.
  "request-metadata": (task) =>
    withClient(task, (client) => client.listTools(), {
      roots: [],
      sample: () => Promise.reject(new Error("no request to answer is expected")),
      elicit: () => ({ action: "cancel" }),
    }),

  "http-standard-headers": doing(async (client) => {
    await client.listTools();
    await client.callTool("test_headers");
    await client.listResources();
    await client.readResource("file:///path/to/file%20name.txt");
    await client.listPrompts();
    await client.getPrompt("test_prompt");
  }),

  "http-custom-headers": doing(async (client, { context: { toolCalls } }) => {
    await client.listTools();
    for (const call of Array.isArray(toolCalls) ? toolCalls : []) {
      if (isJsonObject(call)) await client.callTool(String(call.name), call.arguments as JsonObject);
    }
  }),

  "http-invalid-tool-headers": doing(async (client) => {
    for (const { name } of await client.listTools()) await client.callTool(name, { region: "us-west1" });
  }),

  "sep-2322-client-request-state": (task) =>
    withClient(
      task,
      async (client) => {
        await client.listTools();
        await client.callTool("test_mrtr_echo_state");
        await client.callTool("test_mrtr_unrelated");
        await client.callTool("test_mrtr_no_state");
        await client.callTool("test_mrtr_no_result_type");
      },
      { elicit: () => ({ action: "accept", content: { confirmed: true } }) },
    ),

  "sep-2640-client-no-prefetch": usingSkills((api) => api.list()),
  "sep-2640-client-verify-digest": loadSkill,
  "sep-2640-client-verify-size": loadSkill,
  "sep-2640-client-verify-frontmatter": loadSkill,

  "json-schema-ref-no-deref": doing((client) => client.listTools()),

  "json-schema-2020-12-preservation": doing(async (client) => {
    const tools = await client.listTools();
    const schema = tools.find(({ name }) => name === "json_schema_2020_12_tool")?.inputSchema;
    await client.callTool("json_schema_echo", { schema });
  }),
};

/** Throws for a scenario that this fixture does not know. */
export function scenarioOf(name: string): Scenario {
  const scenario = name.startsWith("auth/") ? useProtectedServer : scenarios[name];
  if (!scenario) throw new TypeError(`unknown scenario: ${name}`);
  return scenario;
}

async function useProtectedServer(task: Task): Promise<void> {
  const use = async (client: Client) => {
    await client.listTools();
    await client.callTool("test-tool");
  };
  await withClient(task, use, { authorizer: authorizerFor(task) });
}
