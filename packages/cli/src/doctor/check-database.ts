// The PostgreSQL that replicas share: reachable, usable, its version and its clock.
import type { GatewaySettings } from "@lethe/gateway";
import type { CheckedPostgres } from "@lethe/postgres";
import { hideSecrets } from "@lethe/probe";
import { toClock } from "./clock-finding.ts";
import { type Finding, ok, problem } from "./finding.ts";

export async function checkDatabase(settings: NonNullable<GatewaySettings["postgres"]>): Promise<Finding[]> {
  const { checkPostgres } = await import("@lethe/postgres");
  return toDatabaseFindings(hideSecrets(settings.url), await checkPostgres(settings));
}

/** `name` is the URL without secrets. */
export function toDatabaseFindings(name: string, checked: CheckedPostgres): Finding[] {
  const { isReached, problem: unusable, version, clockAheadMs } = checked;
  if (unusable !== undefined) {
    const remedy = isReached
      ? "change what the text names"
      : "start PostgreSQL, or correct gateway.postgres.url or LETHE_POSTGRES_URL";
    const text = `${name} ${isReached ? "cannot be used" : "is not reachable"}`;
    return [problem("store", text, { cause: hideSecrets(unusable), remedy })];
  }
  const found = ok("store", `${name} is reachable${version === undefined ? "" : `, version ${version}`}`);
  return [found, ...toClock("PostgreSQL", clockAheadMs)];
}
