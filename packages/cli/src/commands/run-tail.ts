// Follows the event stream of a gateway, and continues it after a lost connection.
import { setTimeout as sleep } from "node:timers/promises";
import type { SseEvent } from "@lethe/protocol";
import { type AdminClient, ConnectionLost, toUnreachable } from "../admin/admin-client.ts";
import type { ExchangeRowView, LogRowView } from "../admin/admin-views.ts";
import { toExchangeLine, toLogLine } from "../admin/format-rows.ts";
import { CommandError } from "../exit-code.ts";
import { toPrintableLine } from "../terminal/printable.ts";
import { createStyle, type Style } from "../terminal/style.ts";
import { createAdminClient } from "./admin-options.ts";
import type { TailOptions } from "./tail.ts";
import { untilInterrupted } from "./until-interrupted.ts";

const firstPauseMs = 500;
const maxPauseMs = 5_000;

export async function runTail(url: string | undefined, options: TailOptions): Promise<void> {
  const client = createAdminClient(url, options);
  await untilInterrupted((signal) => follow(client, options, signal)).catch((error: unknown) => {
    // Ctrl-C is how people end it.
    if (!(error instanceof CommandError && error.message === "interrupted")) throw error;
  });
}

async function follow(client: AdminClient, options: TailOptions, signal: AbortSignal): Promise<never> {
  const path = `/events?${toQuery(options)}`;
  const styles = { out: createStyle(process.stdout), error: createStyle(process.stderr) };
  let lastEventId: string | undefined;
  let hasConnected = false;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
    try {
      for await (const event of client.events(path, lastEventId, signal)) {
        if (pauseMs > firstPauseMs) process.stderr.write(styles.error.dim("connected again\n"));
        pauseMs = firstPauseMs;
        hasConnected = true;
        lastEventId = event.id ?? lastEventId;
        show(event, options, styles);
      }
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      if (!hasConnected) throw toUnreachable(client, error);
      if (pauseMs === firstPauseMs) {
        process.stderr.write(styles.error.yellow(`the connection was lost (${error.message}); connecting again\n`));
      }
    }
    await sleep(pauseMs, undefined, { signal });
  }
}

function toQuery({ lines, server, caller, method, outcome }: TailOptions): URLSearchParams {
  const wanted = Object.entries({ upstream: server, caller, method, outcome, limit: String(lines) });
  return new URLSearchParams(wanted.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

function show({ event, data }: SseEvent, { json, log }: TailOptions, styles: { out: Style; error: Style }): void {
  if (event === "gap") {
    const { missed } = JSON.parse(data) as { missed: number };
    process.stderr.write(styles.error.yellow(`${missed} requests are missing: the gateway no longer keeps them\n`));
    return;
  }
  if (event === "sampled") {
    const { leftOut } = JSON.parse(data) as { leftOut: number };
    process.stderr.write(styles.error.dim(`${leftOut} further requests: what is shown is a fair sample\n`));
    return;
  }
  if (event === "replicas") {
    const { unanswered } = JSON.parse(data) as { unanswered: readonly { replica: string; reason: string }[] };
    for (const { replica, reason } of unanswered) {
      const line = `the requests of replica ${replica} are missing: ${reason}`;
      process.stderr.write(styles.error.yellow(`${toPrintableLine(line)}\n`));
    }
    return;
  }
  if (event !== "exchange" && !(event === "log" && log)) return;
  if (json) process.stdout.write(`${data}\n`);
  else if (event === "log") process.stdout.write(`${toLogLine(JSON.parse(data) as LogRowView, styles.out)}\n`);
  else process.stdout.write(`${toExchangeLine(JSON.parse(data) as ExchangeRowView, styles.out)}\n`);
}
