// One tool: its description, a form for its arguments, and its calls.
import type { Tool } from "@lethe/protocol";
import type { RJSFSchema } from "@rjsf/utils";
import { useId, useState } from "react";
import { errorsOf } from "../forms/form-validator.ts";
import { SchemaForm } from "../forms/schema-form.tsx";
import type { EraChoice } from "../mcp/endpoint-client.ts";
import { Badge } from "../parts/badge.tsx";
import { LazyJsonEditor } from "../parts/json-view.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { CallButtons } from "./call-buttons.tsx";
import { CallResults } from "./call-results.tsx";
import { Markdown } from "./markdown.tsx";
import { useSession } from "./use-session.ts";

interface ToolPanelProps {
  tool: Tool;
  preset: Readonly<Record<string, unknown>> | undefined;
}

export function ToolPanel({ tool, preset }: ToolPanelProps) {
  const { call } = useSession();
  const [args, setArgs] = useState<unknown>(preset);
  const [eras, setEras] = useState<readonly EraChoice[]>(["auto"]);
  const id = useId();
  const properties = Object.keys((tool.inputSchema.properties as object | undefined) ?? {});

  function send(value: unknown): void {
    for (const era of eras) void call("tool", tool.name, (value ?? {}) as Record<string, unknown>, era);
  }

  const buttons = <CallButtons verb="Call" eras={eras} onEras={setEras} />;
  const form = (
    <>
      {properties.length === 0 && <p className="muted">This tool takes no arguments.</p>}
      <SchemaForm id={id} schema={tool.inputSchema as RJSFSchema} value={args} onChange={setArgs} onSubmit={send}>
        {buttons}
      </SchemaForm>
    </>
  );
  return (
    <div className="workbench-columns">
      <section className="card" aria-labelledby={`${id}-title`}>
        <ToolHead tool={tool} id={`${id}-title`} />
        <Tabs
          label="Arguments"
          items={[
            { id: "form", name: "Form", content: form },
            {
              id: "json",
              name: "JSON",
              content: (
                <JsonArguments
                  schema={tool.inputSchema}
                  value={args}
                  onChange={setArgs}
                  onSend={send}
                  buttons={buttons}
                />
              ),
            },
            {
              id: "schema",
              name: "Schema",
              content: <LazyJsonEditor label={`Definition of ${tool.name}`} text={JSON.stringify(tool, null, 2)} />,
            },
          ]}
        />
      </section>
      <CallResults kind="tool" target={tool.name} tool={tool} />
    </div>
  );
}

function ToolHead({ tool: { name, title, description, annotations = {} }, id }: { tool: Tool; id: string }) {
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations;
  return (
    <div className="stack head">
      <h2 id={id} className="wrap">
        {name}
        {title && title !== name && <span className="muted">{title}</span>}
      </h2>
      <div className="row">
        {readOnlyHint && <Badge tone="ok">read-only</Badge>}
        {!readOnlyHint && destructiveHint && <Badge tone="warn">destructive</Badge>}
        {idempotentHint && <Badge>idempotent</Badge>}
      </div>
      {description && <Markdown text={description} />}
    </div>
  );
}

interface JsonArgumentsProps {
  schema: Readonly<Record<string, unknown>>;
  value: unknown;
  onChange: (value: unknown) => void;
  onSend: (value: unknown) => void;
  buttons: React.ReactNode;
}

function JsonArguments({ schema, value, onChange, onSend, buttons }: JsonArgumentsProps) {
  const [text, setText] = useState(() => JSON.stringify(value ?? {}, null, 2));
  const [problems, setProblems] = useState<readonly string[]>([]);

  function read(): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      setProblems([(error as Error).message]);
      return undefined;
    }
  }

  function submit(event: React.FormEvent): void {
    event.preventDefault();
    const parsed = read();
    if (parsed === undefined) return;
    onChange(parsed);
    // The server decides: the form is the place that insists on the schema.
    setProblems(errorsOf(schema as RJSFSchema, parsed).map(({ stack }) => stack));
    onSend(parsed);
  }

  return (
    <form className="schema-form" onSubmit={submit}>
      <LazyJsonEditor label="Arguments as JSON" text={text} onChange={setText} />
      {problems.map((problem) => (
        <p key={problem} className="field-error">
          {problem}
        </p>
      ))}
      {buttons}
    </form>
  );
}
