// The calls of this page, to look at again and to repeat.
import { RotateCcw } from "lucide-react";
import { formatDuration } from "../format/durations.ts";
import type { Call } from "../mcp/calls.ts";
import { Badge } from "../parts/badge.tsx";
import { useCalls } from "./use-session.ts";

export function HistoryPanel({ onRepeat }: { onRepeat: (call: Call) => void }) {
  const calls = useCalls();
  if (calls.length === 0) return null;
  return (
    <section className="card card-flush" aria-labelledby="history-title">
      <div className="card-head">
        <h2 id="history-title">History</h2>
      </div>
      <ol className="history">
        {calls.map((call) => (
          <li key={call.id}>
            <OutcomeBadge call={call} />
            <span className="history-target wrap">{call.target}</span>
            <span className="mono small muted">{call.revision}</span>
            <span className="small muted">{call.ms === undefined ? "" : formatDuration(call.ms)}</span>
            <button type="button" className="button button-small button-quiet" onClick={() => onRepeat(call)}>
              <RotateCcw size={14} aria-hidden="true" /> Use again
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function OutcomeBadge({ call: { ms, error, result } }: { call: Call }) {
  if (ms === undefined) return <Badge tone="info">running</Badge>;
  if (error !== undefined) return <Badge tone="bad">error</Badge>;
  const isToolError = (result as { isError?: boolean } | undefined)?.isError === true;
  return <Badge tone={isToolError ? "bad" : "ok"}>{isToolError ? "tool error" : "complete"}</Badge>;
}
