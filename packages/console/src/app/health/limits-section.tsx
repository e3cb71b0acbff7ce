// Limits and how much of each is used, the fullest first. Of a limit that each upstream has, the fullest one is shown, and the others below it.
import { Meter } from "@base-ui/react/meter";
import type { LimitUse } from "../admin/admin-api.ts";
import { formatAmount, formatBytes, formatCount } from "../format/numbers.ts";
import { Empty } from "../parts/page-state.tsx";

const warnShare = 0.7;
const badShare = 0.9;

export function LimitsSection({ limits }: { limits: readonly LimitUse[] }) {
  return (
    <section className="card" aria-labelledby="limits-title">
      <h2 id="limits-title">
        Limits <span className="muted">of this replica</span>
      </h2>
      {limits.length === 0 && <Empty title="No limits to show" />}
      <div className="limits">
        {toGroups(limits).map(([fullest, ...others]) => (
          <LimitGroup key={fullest.name} fullest={fullest} others={others} />
        ))}
      </div>
    </section>
  );
}

type Group = readonly [fullest: LimitUse, ...others: LimitUse[]];

/** One group per setting. */
function toGroups(limits: readonly LimitUse[]): Group[] {
  const groups = new Map<string, [LimitUse, ...LimitUse[]]>();
  const sorted = [...limits].sort((a, b) => shareOf(b) - shareOf(a));
  for (const limit of sorted) {
    const known = groups.get(limit.name);
    if (known) known.push(limit);
    else groups.set(limit.name, [limit]);
  }
  return [...groups.values()];
}

function LimitGroup({ fullest, others }: { fullest: LimitUse; others: readonly LimitUse[] }) {
  return (
    <div className="limit-group">
      <LimitMeter limit={fullest} />
      {others.length > 0 && (
        <details>
          <summary className="summary">{formatAmount(others.length, "other upstream")}</summary>
          <div className="limit-others">
            {others.map((limit) => (
              <LimitMeter key={limit.upstream} limit={limit} isPart />
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

function LimitMeter({ limit, isPart = false }: { limit: LimitUse; isPart?: boolean }) {
  const format = limit.unit === "bytes" ? formatBytes : formatCount;
  const share = shareOf(limit);
  const level = share >= badShare ? "bad" : share >= warnShare ? "warn" : "ok";
  return (
    <Meter.Root
      className="limit"
      value={Math.min(limit.used, limit.limit)}
      max={limit.limit}
      getAriaValueText={() => `${format(limit.used)} of ${format(limit.limit)}`}
    >
      <Meter.Label className="limit-name">
        {isPart ? (
          <>
            {limit.upstream}
            <span className="visually-hidden">: {limit.what}</span>
          </>
        ) : (
          <>
            <span className="limit-what">{limit.what}</span>
            <span className="muted small wrap">
              <code>{limit.name}</code>
              {limit.upstream && ` · most at ${limit.upstream}`}
            </span>
          </>
        )}
      </Meter.Label>
      <span className="limit-use" aria-hidden="true">
        {format(limit.used)} <span className="muted">of {format(limit.limit)}</span>
      </span>
      <Meter.Track className="limit-track">
        <Meter.Indicator className={`limit-bar limit-${level}`} />
      </Meter.Track>
    </Meter.Root>
  );
}

function shareOf({ used, limit }: LimitUse): number {
  return limit > 0 ? used / limit : 0;
}
