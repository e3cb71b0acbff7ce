// The latest calls of one target: running, asking for input, or ended. Calls in both eras appear side by side.
import type { Tool } from "@lethe/protocol";
import { useEffect, useRef } from "react";
import { formatDuration } from "../format/durations.ts";
import { AnswerForm } from "../forms/answer-form.tsx";
import type { Call, CallKind } from "../mcp/calls.ts";
import type { EraChoice } from "../mcp/endpoint-client.ts";
import { Badge } from "../parts/badge.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Empty } from "../parts/page-state.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { AppFrame, appUriOf } from "./app-frame.tsx";
import { ResultView } from "./result-view.tsx";
import { useCalls, useWaitingInputs } from "./use-session.ts";

interface CallResultsProps {
  kind: CallKind;
  target: string;
  tool?: Tool;
}

export function CallResults({ kind, target, tool }: CallResultsProps) {
  const calls = useCalls().filter((call) => call.kind === kind && call.target === target);
  const waiting = useWaitingInputs().filter((input) => input.target === target);
  const [latest] = calls;
  // A comparison is two calls that began together.
  const shown = calls.filter((call) => latest && latest.startedAt - call.startedAt < 50).reverse();
  return (
    <div className="results" aria-live="polite">
      {waiting.map((input) => (
        <AskedCard key={input.id} method={input.method} era={input.era}>
          <AnswerForm input={input} onAnswer={input.answer} />
        </AskedCard>
      ))}
      {shown.length === 0 && (
        <section className="card workbench-hint">
          <Empty title="No result yet" />
        </section>
      )}
      <div className="columns">
        {shown.map((call) => (
          <CallCard key={call.id} call={call} tool={tool} />
        ))}
      </div>
    </div>
  );
}

/** Tells the calls of a comparison apart. */
const eraNames: Readonly<Record<EraChoice, string>> = {
  auto: "",
  modern: "in 2026-07-28",
  legacy: "in a legacy session",
};

function AskedCard({ method, era, children }: { method: string; era: EraChoice; children: React.ReactNode }) {
  const card = useRef<HTMLElement>(null);
  useEffect(() => card.current?.focus(), []);
  return (
    <section className="card asked" ref={card} tabIndex={-1} aria-label="The server asks">
      <h2>
        The server asks <span className="muted mono">{method}</span>
        <span className="muted">{eraNames[era]}</span>
      </h2>
      {children}
    </section>
  );
}

function CallCard({ call, tool }: { call: Call; tool: Tool | undefined }) {
  const { ms, error, result, revision, era, abort } = call;
  const isToolError = (result as { isError?: boolean } | undefined)?.isError === true;
  return (
    <section className="card" aria-label={`Result of ${call.target}`}>
      <div className="row spread">
        <div className="row">
          {ms === undefined && <Badge tone="info">running</Badge>}
          {error !== undefined && <Badge tone="bad">error</Badge>}
          {result !== undefined && (
            <Badge tone={isToolError ? "bad" : "ok"}>{isToolError ? "tool error" : "complete"}</Badge>
          )}
          <span className="mono small">{revision ?? (era === "auto" ? "connecting" : era)}</span>
          {ms !== undefined && <span className="muted small">{formatDuration(ms)}</span>}
        </div>
        {ms === undefined && (
          <button type="button" className="button button-small" onClick={() => abort.abort()}>
            Cancel
          </button>
        )}
      </div>
      {error !== undefined && <p className="banner banner-bad">{error}</p>}
      {ms === undefined ? <Events call={call} /> : <Outcome call={call} tool={tool} />}
    </section>
  );
}

function Outcome({ call, tool }: { call: Call; tool: Tool | undefined }) {
  const { result } = call;
  const events = { id: "events", name: "Events", count: call.events.length, content: <Events call={call} /> };
  if (result === undefined) return <Events call={call} />;
  const uri = tool && appUriOf(tool);
  const app = uri === undefined ? [] : [{ id: "app", name: "App", content: <AppFrame uri={uri} call={call} /> }];
  return (
    <Tabs
      label="Result"
      items={[
        ...app,
        { id: "result", name: "Result", content: <ResultView result={result} /> },
        { id: "json", name: "JSON", content: <JsonView label="Result as JSON" value={result} /> },
        events,
      ]}
    />
  );
}

function Events({ call: { events } }: { call: Call }) {
  return (
    <ol className="events">
      {events.map(({ at, label, data }) => (
        <li key={`${at} ${label}`}>
          <span className="event-time">{formatDuration(at)}</span>
          <div className="stack">
            <span>{label}</span>
            {data !== undefined && (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard.
              <pre className="event-data" tabIndex={0}>
                {JSON.stringify(data, null, 1)}
              </pre>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}
