// Limits and how much of each is used, the fullest first.
import { Meter } from "@base-ui/react/meter";
import type { LimitUse } from "../admin/admin-api.ts";
import { formatBytes, formatCount } from "../format/numbers.ts";
import { Empty } from "../parts/page-state.tsx";

const warnShare = 0.7;
const badShare = 0.9;

export function LimitsSection({ limits }: { limits: readonly LimitUse[] }) {
  const sorted = [...limits].sort((a, b) => shareOf(b) - shareOf(a) || a.name.localeCompare(b.name));
  return (
    <section className="card" aria-labelledby="limits-title">
      <h2 id="limits-title">
        Limits <span className="muted">of this replica</span>
      </h2>
      {limits.length === 0 && <Empty title="No limits to show" />}
      <div className="limits">
        {sorted.map((limit) => (
          <LimitMeter key={`${limit.name} ${limit.upstream}`} limit={limit} />
        ))}
      </div>
    </section>
  );
}

function LimitMeter({ limit }: { limit: LimitUse }) {
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
        {limit.what}
        {limit.upstream && ` of ${limit.upstream}`}
        <code>{limit.name}</code>
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
