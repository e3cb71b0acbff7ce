// Shows the state and the traffic of a gateway until the user ends it.
import { setTimeout as sleep } from "node:timers/promises";
import { type AdminClient, ConnectionLost, toUnreachable } from "../admin/admin-client.ts";
import type { ExchangeRowView } from "../admin/admin-views.ts";
import { toExchangeLine, toHeadLines, toProblemLines, toUpstreamLines } from "../admin/format-rows.ts";
import { LiveScreen } from "../admin/live-screen.ts";
import { CommandError } from "../exit-code.ts";
import { createStyle } from "../terminal/style.ts";
import { createAdminClient } from "./admin-options.ts";
import { readStatus, type Status } from "./run-status.ts";
import type { TopOptions } from "./top.ts";
import { untilInterrupted } from "./until-interrupted.ts";

const maxRequests = 50;
/** The part of the screen for servers, where there are more than fit. */
const serverPart = 0.5;

export async function runTop(url: string | undefined, options: TopOptions): Promise<void> {
  const client = createAdminClient(url, options);
  const { stdout } = process;
  if (!options.json && !stdout.isTTY) throw new CommandError("top needs a terminal; use --json, or lethe status");
  const screen = options.json ? undefined : () => new LiveScreen(stdout);
  await untilInterrupted((signal) => follow(client, { signal, screen, intervalMs: options.interval })).catch(
    (error: unknown) => {
      // Ctrl-C is how people end it.
      if (!(error instanceof CommandError && error.message === "interrupted")) throw error;
    },
  );
}

interface Following {
  readonly signal: AbortSignal;
  /** Opened when the first answer is there. Undefined to print JSON. */
  readonly screen: (() => LiveScreen) | undefined;
  readonly intervalMs: number;
}

interface Seen extends Status {
  readonly exchanges: readonly ExchangeRowView[];
}

async function follow(client: AdminClient, { signal, screen, intervalMs }: Following): Promise<never> {
  const first = await read(client, signal).catch((error: unknown) => {
    throw error instanceof ConnectionLost ? toUnreachable(client, error) : error;
  });
  const open = screen?.();
  let [seen, lost]: [Seen, string | undefined] = [first, undefined];
  try {
    for (;;) {
      if (open) open.show(toFrame(seen, lost));
      else if (lost === undefined) process.stdout.write(`${JSON.stringify(seen)}\n`);
      await sleep(intervalMs, undefined, { signal });
      try {
        seen = await read(client, signal);
        lost = undefined;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        lost = error.message;
      }
    }
  } finally {
    open?.close();
  }
}

async function read(client: AdminClient, signal: AbortSignal): Promise<Seen> {
  const [status, { exchanges }] = await Promise.all([
    readStatus(client, signal),
    client.get<{ exchanges: readonly ExchangeRowView[] }>(`/exchanges?limit=${maxRequests}`, signal),
  ]);
  return { ...status, exchanges };
}

function toFrame({ overview, upstreams, health, exchanges }: Seen, lost: string | undefined): string[] {
  const style = createStyle(process.stdout);
  const busiest = [...upstreams].sort((one, other) => other.recent.requests - one.recent.requests);
  const room = Math.max(3, Math.floor((process.stdout.rows ?? 24) * serverPart));
  const shown = busiest.slice(0, room);
  return [
    ...(lost === undefined ? [] : [style.red(`the gateway does not answer: ${lost}; this is what it said last`)]),
    ...toHeadLines(overview, health, style),
    ...toProblemLines(health, style).slice(0, 3),
    "",
    ...toUpstreamLines(shown, style),
    ...(busiest.length > shown.length ? [style.dim(`and ${busiest.length - shown.length} more servers`)] : []),
    "",
    ...exchanges.map((exchange) => toExchangeLine(exchange, style)),
  ];
}
