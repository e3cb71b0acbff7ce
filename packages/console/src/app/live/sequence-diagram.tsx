// Draws a sequence: time on the left, a lane for each party, an arrow for each message. A message opens to its
// headers and its body.
import { Fragment, type ReactNode } from "react";
import type { Step } from "../admin/admin-api.ts";
import { formatDuration } from "../format/durations.ts";
import { JsonView } from "../parts/json-view.tsx";
import type { Lane, Round, Sequence, SequenceRow } from "./sequence.ts";

export function SequenceDiagram({ sequence: { lanes, rounds } }: { sequence: Sequence }) {
  return (
    <div className="sequence">
      <div className="sequence-head">
        <span />
        <div className="sequence-lanes" style={{ gridTemplateColumns: `repeat(${lanes.length}, minmax(0, 1fr))` }}>
          {lanes.map(({ id, title, hint }) => (
            <div key={id} className={`lane lane-${id.split(":")[0]}`}>
              <span className="strong wrap">{title}</span>
              {hint && <span className="muted small wrap">{hint}</span>}
            </div>
          ))}
        </div>
      </div>
      {rounds.map((round, index) => (
        <RoundRows
          key={round.id}
          round={round}
          lanes={lanes}
          name={rounds.length > 1 ? `Round ${index + 1}` : undefined}
        />
      ))}
    </div>
  );
}

function RoundRows({
  round: { pauseMs, rows },
  lanes,
  name,
}: {
  round: Round;
  lanes: readonly Lane[];
  name: string | undefined;
}) {
  return (
    <>
      {pauseMs !== undefined && <p className="sequence-pause">The caller answered after {formatDuration(pauseMs)}</p>}
      <ol className="sequence-rows" aria-label={name ?? "Messages"}>
        {rows.map((row) => (
          <li key={row.key}>
            <StepRow row={row} lanes={lanes} />
          </li>
        ))}
      </ol>
    </>
  );
}

function StepRow({ row, lanes }: { row: SequenceRow; lanes: readonly Lane[] }) {
  const { step, at, from, to } = row;
  const hasMore = step.body !== undefined || step.headers !== undefined;
  const description = `${lanes[from]?.title} to ${lanes[to]?.title}`;
  const line = (
    <div className="step">
      <span className="step-time">{formatDuration(at)}</span>
      <div className="step-lanes" style={{ backgroundSize: `${100 / lanes.length}% 100%` }}>
        <Arrow row={row} count={lanes.length} />
        <span className="visually-hidden">{description}</span>
      </div>
    </div>
  );
  if (!hasMore) return line;
  return (
    <details>
      <summary>{line}</summary>
      <div className="step-more">
        {step.headers && <Headers step={step} headers={step.headers} />}
        {step.body !== undefined && <JsonView label={step.label} value={step.body} />}
      </div>
    </details>
  );
}

/** The HTTP headers that were recorded. */
function Headers({ step: { status }, headers }: { step: Step; headers: Readonly<Record<string, string>> }) {
  return (
    <dl className="step-headers" aria-label="HTTP headers">
      {status !== undefined && (
        <div>
          <dt>status</dt>
          <dd>{status}</dd>
        </div>
      )}
      {Object.entries(headers).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Lets a name break after its parts, and not inside of a word. */
function breakable(label: string): ReactNode {
  return label.split(/(?<=[/_])(?=[^/_])/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts never move.
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

function Arrow({ row: { step, from, to }, count }: { row: SequenceRow; count: number }) {
  const center = (lane: number) => ((lane + 0.5) / count) * 100;
  if (from === to) {
    return (
      <span
        className={`step-note step-${step.kind}`}
        style={{ marginLeft: `${Math.max(0, center(from) - 50 / count)}%`, width: `${100 / count}%` }}
      >
        {step.label}
      </span>
    );
  }
  const left = center(Math.min(from, to));
  const width = (Math.abs(to - from) / count) * 100;
  return (
    <span
      className={`step-arrow step-${step.kind} ${to > from ? "step-right" : "step-left"}`}
      style={{ marginLeft: `${left}%`, width: `${width}%` }}
    >
      <span className="step-label">{breakable(step.label)}</span>
    </span>
  );
}
