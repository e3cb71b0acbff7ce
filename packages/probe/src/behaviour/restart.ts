// Tests whether a session of one process continues in another, by stopping a command and starting it again.
import { toLegacyRequest, toModernRequest } from "../exchange/messages.ts";
import type { StdioTransport } from "../exchange/stdio-transport.ts";
import type { InstanceFinding, LegacyFinding } from "./findings.ts";
import { listMethodOf, type ModernFinding } from "./modern-era.ts";
import { modernListOf } from "./probe-http.ts";
import { inShort, isOk } from "./problem.ts";

export interface RestartOptions {
  modern: ModernFinding;
  legacy: LegacyFinding;
  startTimeoutMs: number;
}

/** `fresh` stops the current process and starts a new one. */
export async function tryRestart(
  fresh: () => Promise<StdioTransport>,
  { modern, legacy, startTimeoutMs }: RestartOptions,
): Promise<InstanceFinding[]> {
  const found: InstanceFinding[] = [];
  if (modern.isStateless) {
    const name = modernListOf(modern);
    const again = await (await fresh()).send(`modern ${name} after a restart`, toModernRequest(name), startTimeoutMs);
    const text = isOk(again)
      ? `${name} was the first request to a new process, which answered it`
      : `a new process did not answer ${name}: ${inShort(again)}`;
    found.push({
      kind: "restart",
      method: name,
      era: "modern",
      isAnyInstance: isOk(again),
      reasons: [{ text, exchanges: [again.number] }],
    });
  }
  if (legacy.isSpoken) {
    const name = listMethodOf(legacy.initialized?.capabilities) ?? "ping";
    const again = await (await fresh()).send(`${name} after a restart`, toLegacyRequest(name), startTimeoutMs);
    const text = isOk(again)
      ? `a new process without initialize answered ${name}`
      : `a new process does not know the session: ${name}: ${inShort(again)}`;
    found.push({
      kind: "restart",
      method: name,
      era: "legacy",
      isAnyInstance: isOk(again),
      reasons: [{ text, exchanges: [again.number] }],
    });
  }
  return found;
}
