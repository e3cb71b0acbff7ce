// Shows the state of a gateway once.
import { type AdminClient, ConnectionLost, toUnreachable } from "../admin/admin-client.ts";
import type { HealthView, OverviewView, UpstreamRowView } from "../admin/admin-views.ts";
import { toHeadLines, toProblemLines, toUpstreamLines } from "../admin/format-rows.ts";
import { createStyle } from "../terminal/style.ts";
import { whileWaiting } from "../terminal/waiting-line.ts";
import { type AdminOptions, createAdminClient } from "./admin-options.ts";
import { untilInterrupted } from "./until-interrupted.ts";

const unhealthy = 10;

export async function runStatus(url: string | undefined, options: AdminOptions): Promise<void> {
  const client = createAdminClient(url, options);
  const { overview, upstreams, health } = await whileWaiting(
    "the gateway",
    untilInterrupted((signal) => readStatus(client, signal)),
  ).catch((error: unknown) => {
    throw error instanceof ConnectionLost ? toUnreachable(client, error) : error;
  });
  const style = createStyle(process.stdout);
  const lines = options.json
    ? [JSON.stringify({ overview, upstreams, health }, null, 2)]
    : [
        ...toHeadLines(overview, health, style),
        "",
        ...toUpstreamLines(upstreams, style),
        ...toProblemLines(health, style),
      ];
  process.stdout.write(`${lines.join("\n")}\n`);
  if (!health.isReady || upstreams.some(({ state }) => state === "failed")) process.exitCode = unhealthy;
}

export interface Status {
  readonly overview: OverviewView;
  readonly upstreams: readonly UpstreamRowView[];
  readonly health: HealthView;
}

export async function readStatus(client: AdminClient, signal: AbortSignal): Promise<Status> {
  const [overview, { upstreams }, health] = await Promise.all([
    client.get<OverviewView>("/overview", signal),
    client.get<{ upstreams: readonly UpstreamRowView[] }>("/upstreams", signal),
    client.get<HealthView>("/health", signal),
  ]);
  return { overview, upstreams, health };
}
