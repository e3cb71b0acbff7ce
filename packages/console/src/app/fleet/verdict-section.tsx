// The verdict on an upstream, and the observations that led to it, in order.
import type { EraView, UpstreamDetail } from "../admin/admin-api.ts";
import { formatAge } from "../format/durations.ts";
import { Badge } from "../parts/badge.tsx";
import { Empty } from "../parts/page-state.tsx";
import { useNow } from "../parts/use-now.ts";
import { verdictTones } from "./tones.ts";

const sources = {
  configuration: "stated in the configuration",
  probe: "found by the probe",
  connection: "seen on the connection",
};

export function VerdictSection({ upstream: { verdict, because } }: { upstream: UpstreamDetail }) {
  const now = useNow();
  return (
    <section className="card" aria-labelledby="verdict-title">
      <h2 id="verdict-title">
        Verdict{" "}
        {verdict && (
          <span className="muted">
            {sources[verdict.source]} {formatAge(now - Date.parse(verdict.found))} ago
          </span>
        )}
      </h2>
      {!verdict && <Empty title="No verdict yet">The gateway judges an upstream when it connects to it.</Empty>}
      {verdict && (
        <>
          <p className="lead">
            <Badge tone={verdictTones[verdict.word] ?? "neutral"}>{verdict.word.toLowerCase()}</Badge> {because}
          </p>
          <ol className="steps">
            {verdict.evidence.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ol>
          <div className="columns">
            <EraFacts name="Modern" hint="2026-07-28, without sessions" era={verdict.eras.modern} />
            <EraFacts name="Legacy" hint="2025-11-25 and older" era={verdict.eras.legacy} />
          </div>
        </>
      )}
    </section>
  );
}

function EraFacts({ name, hint, era }: { name: string; hint: string; era: EraView }) {
  const spoken = era.isSpoken === null ? "not asked" : era.isSpoken ? "spoken" : "not spoken";
  return (
    <div className="era">
      <h3>
        {name} <span className="muted">{hint}</span>
      </h3>
      <p>
        <Badge tone={era.isSpoken ? "ok" : "neutral"}>{spoken}</Badge>{" "}
        {era.isSpoken && `${era.word.toLowerCase()}${era.contract ? `, sessions: ${era.contract}` : ""}`}
      </p>
      {era.revisions.length > 0 && <p className="mono">{era.revisions.join("  ")}</p>}
    </div>
  );
}
