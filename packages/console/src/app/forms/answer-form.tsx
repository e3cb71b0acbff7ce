// The answer to an input request of a server: a form, consent to a page, or the words of a model.
import type { RJSFSchema } from "@rjsf/utils";
import { ExternalLink } from "lucide-react";
import { type FormEvent, useId, useMemo, useState } from "react";
import { JsonView } from "../parts/json-view.tsx";
import { toFormSchema } from "./elicited-schema.ts";
import { SchemaForm } from "./schema-form.tsx";

export interface AskedInput {
  readonly method: string;
  readonly params: unknown;
}

interface AnswerFormProps {
  readonly input: AskedInput;
  readonly isBusy?: boolean;
  readonly onAnswer: (result: unknown) => void;
}

export function AnswerForm({ input, isBusy = false, onAnswer }: AnswerFormProps) {
  const params = (input.params ?? {}) as Params;
  if (input.method === "elicitation/create" && params.mode === "url") {
    return <UrlAnswer params={params} isBusy={isBusy} onAnswer={onAnswer} />;
  }
  if (input.method === "elicitation/create") return <FormAnswer params={params} isBusy={isBusy} onAnswer={onAnswer} />;
  if (input.method === "sampling/createMessage") {
    return <SamplingAnswer params={params} isBusy={isBusy} onAnswer={onAnswer} />;
  }
  if (input.method === "roots/list") return <RootsAnswer isBusy={isBusy} onAnswer={onAnswer} />;
  return <JsonView label={`Params of ${input.method}`} value={input.params} />;
}

interface Params {
  readonly mode?: string;
  readonly message?: string;
  readonly url?: string;
  readonly requestedSchema?: RJSFSchema;
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
  readonly systemPrompt?: string;
  readonly maxTokens?: number;
}

interface PartProps {
  params: Params;
  isBusy: boolean;
  onAnswer: (result: unknown) => void;
}

function FormAnswer({ params, isBusy, onAnswer }: PartProps) {
  const id = useId();
  const [value, setValue] = useState<unknown>(undefined);
  const schema = useMemo(() => toFormSchema(params.requestedSchema ?? { type: "object" }), [params]);
  return (
    <div className="answer">
      <p className="answer-message">{params.message}</p>
      <SchemaForm
        id={id}
        schema={schema}
        value={value}
        onChange={setValue}
        onSubmit={(content) => onAnswer({ action: "accept", content })}
      >
        <div className="row">
          <button type="submit" className="button button-primary" disabled={isBusy}>
            Send answer
          </button>
          <Refusals isBusy={isBusy} onAnswer={onAnswer} />
        </div>
      </SchemaForm>
    </div>
  );
}

function Refusals({ isBusy, onAnswer }: Omit<PartProps, "params">) {
  return (
    <>
      <button type="button" className="button" disabled={isBusy} onClick={() => onAnswer({ action: "decline" })}>
        Decline
      </button>
      <button
        type="button"
        className="button button-quiet"
        disabled={isBusy}
        onClick={() => onAnswer({ action: "cancel" })}
      >
        Cancel
      </button>
    </>
  );
}

function UrlAnswer({ params, isBusy, onAnswer }: PartProps) {
  const isWeb = /^https?:/.test(params.url ?? "");
  return (
    <div className="answer">
      <p className="answer-message">{params.message}</p>
      <p className="wrap">
        The server asks you to open <code>{params.url}</code>
      </p>
      <div className="row">
        {isWeb && (
          <a
            className="button button-primary"
            href={params.url}
            target="_blank"
            rel="noopener noreferrer"
            onClick={() => onAnswer({ action: "accept" })}
          >
            <ExternalLink size={14} aria-hidden="true" /> Open and accept
          </a>
        )}
        <Refusals isBusy={isBusy} onAnswer={onAnswer} />
      </div>
    </div>
  );
}

function SamplingAnswer({ params, isBusy, onAnswer }: PartProps) {
  const [text, setText] = useState("");
  function submit(event: FormEvent): void {
    event.preventDefault();
    onAnswer({ role: "assistant", model: "human", stopReason: "endTurn", content: { type: "text", text } });
  }
  return (
    <form className="answer" onSubmit={submit}>
      <p className="answer-message">
        The server asks a model{params.maxTokens ? ` for at most ${params.maxTokens} tokens` : ""}.
      </p>
      {params.systemPrompt && <p className="field-hint">{params.systemPrompt}</p>}
      <ul className="messages">
        {params.messages?.map(({ role, content }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes.
          <li key={index}>
            <span className="badge">{role}</span> {textOf(content)}
          </li>
        ))}
      </ul>
      <label>
        Answer in the place of the model
        <textarea required value={text} onChange={(event) => setText(event.target.value)} />
      </label>
      <div className="row">
        <button type="submit" className="button button-primary" disabled={isBusy}>
          Send answer
        </button>
      </div>
    </form>
  );
}

function RootsAnswer({ isBusy, onAnswer }: Omit<PartProps, "params">) {
  return (
    <div className="answer">
      <p className="answer-message">The server asks which folders it may see.</p>
      <button type="button" className="button" disabled={isBusy} onClick={() => onAnswer({ roots: [] })}>
        None
      </button>
    </div>
  );
}

function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks
    .map((block) => (typeof block?.text === "string" ? block.text : `[${block?.type ?? "content"}]`))
    .join("\n");
}
