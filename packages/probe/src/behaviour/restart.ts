// Does what began in one process go on in another? Asked of a command by stopping its process and starting it again.
import { toLegacyRequest, toModernRequest } from "../exchange/messages.ts";
import type { StdioLab } from "../exchange/stdio-lab.ts";
import type { InstanceFinding, LegacyFinding } from "./findings.ts";
import { listMethodOf, type ModernFinding } from "./modern-era.ts";
import { modernListOf } from "./probe-http.ts";
import { inShort, isOk } from "./problem.ts";

export interface RestartOptions {
  modern: ModernFinding;
  legacy: LegacyFinding;
  startTimeoutMs: number;
}

/** `fresh` stops the process that is there and starts another. */
export async function tryRestart(
  fresh: () => Promise<StdioLab>,
  { modern, legacy, startTimeoutMs }: RestartOptions,
): Promise<InstanceFinding[]> {
  const found: InstanceFinding[] = [];
  if (modern.isStateless) {
    const name = modernListOf(modern);
    const again = await (await fresh()).send(`modern ${name} after a restart`, toModernRequest(name), startTimeoutMs);
    const text = isOk(again)
      ? `${name} was the first thing that a fresh process heard, and it was answered`
      : `a fresh process did not answer ${name}: ${inShort(again)}`;
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
      ? `${name} was answered by a fresh process that nobody had initialized`
      : `a fresh process knows nothing of the session: ${name}: ${inShort(again)}`;
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
