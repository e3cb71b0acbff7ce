// One prompt: its arguments, and the messages it returns.
import type { Prompt } from "@lethe/protocol";
import type { RJSFSchema } from "@rjsf/utils";
import { useId, useMemo, useState } from "react";
import { SchemaForm } from "../forms/schema-form.tsx";
import type { EraChoice } from "../mcp/endpoint-client.ts";
import { CallButtons } from "./call-buttons.tsx";
import { CallResults } from "./call-results.tsx";
import { Markdown } from "./markdown.tsx";
import { useSession } from "./use-session.ts";

interface PromptPanelProps {
  prompt: Prompt;
  preset: Readonly<Record<string, unknown>> | undefined;
}

export function PromptPanel({ prompt, preset }: PromptPanelProps) {
  const { call } = useSession();
  const [args, setArgs] = useState<unknown>(preset);
  const [eras, setEras] = useState<readonly EraChoice[]>(["auto"]);
  const id = useId();
  const schema = useMemo(() => toSchema(prompt), [prompt]);
  return (
    <div className="workbench-columns">
      <section className="card" aria-labelledby={`${id}-title`}>
        <div className="stack head">
          <h2 id={`${id}-title`}>
            {prompt.name}
            {prompt.title && <span className="muted">{prompt.title}</span>}
          </h2>
          {prompt.description && <Markdown text={prompt.description} />}
        </div>
        <SchemaForm
          id={id}
          schema={schema}
          value={args}
          onChange={setArgs}
          onSubmit={(value) => {
            for (const era of eras) void call("prompt", prompt.name, value as Record<string, unknown>, era);
          }}
        >
          <CallButtons verb="Get" eras={eras} onEras={setEras} />
        </SchemaForm>
      </section>
      <CallResults kind="prompt" target={prompt.name} />
    </div>
  );
}

/** Arguments of prompts are texts. */
function toSchema({ arguments: args = [] }: Prompt): RJSFSchema {
  const properties = args.map(({ name, description }) => [
    name,
    { type: "string", ...(description && { description }) },
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: args.filter(({ required }) => required).map(({ name }) => name),
  };
}
