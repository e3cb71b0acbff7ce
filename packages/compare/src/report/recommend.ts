// Recommends a transport, in sentences derived from the measures.
import { features } from "../script/script.ts";
import type { MeasuredTransport } from "./measured-transport.ts";
import { toBytes, toMs } from "./table.ts";

/** Returns nothing for recorded traffic, in which no feature was tried. */
export function recommend(all: readonly MeasuredTransport[]): string[] {
  const transports = all.filter(({ verdicts }) => verdicts.length > 0);
  const [overHttp, overPipes] = [ofKind(transports, "http"), ofKind(transports, "stdio")];
  const [remote, local] = [best(overHttp), best(overPipes)];
  const sentences: string[] = [];
  const pick = (chosen: MeasuredTransport, from: readonly MeasuredTransport[], where: string): void => {
    const purpose =
      from.length > 1 ? `For a server ${where}` : `For a server ${where}, only one transport was available`;
    sentences.push(`${purpose}: **${chosen.title}**. ${praise(chosen)}`);
  };
  if (remote) pick(remote, overHttp, "that clients reach over a network");
  if (local) pick(local, overPipes, "on the same machine as its only client");
  for (const transport of transports) {
    const chosen = transport.kind === "http" ? remote : local;
    if (!chosen || transport === chosen) continue;
    const differences = contrast(transport, chosen);
    sentences.push(
      differences.length === 0
        ? `${transport.title}: no measured difference.`
        : `${transport.title}, in comparison: ${differences.join("; ")}.`,
    );
  }
  return sentences;
}

/** One sentence with the choice for each kind of transport. Undefined if no feature was tried. */
export function conclude(all: readonly MeasuredTransport[]): string | undefined {
  const transports = all.filter(({ verdicts }) => verdicts.length > 0);
  const [only] = transports;
  if (!only) return undefined;
  if (transports.length === 1) return `${only.title}: ${toLower(toWorking(only))}.`;
  const [remote, local] = [best(ofKind(transports, "http")), best(ofKind(transports, "stdio"))];
  if (!remote && !local) return "No feature that was tried works over any transport.";
  const places = [[remote, "over a network"] as const, [local, "on one machine"] as const];
  const chosen = places.flatMap(([transport, where]) =>
    transport ? [{ transport, where, works: toWorking(transport) }] : [],
  );
  const [first] = chosen;
  const isSame = chosen.every(({ works }) => works === first?.works);
  const choices = chosen.map(({ transport, where, works }, index) => {
    const share = isSame ? "" : ` (${toLower(works)})`;
    return `${transport.title}${index === 0 ? " is best" : ""} ${where}${share}`;
  });
  return `${choices.join(", and ")}${isSame && first ? `: ${toLower(first.works)}` : ""}.`;
}

function toWorking({ verdicts }: MeasuredTransport): string {
  const tried = verdicts.filter(({ mark }) => mark !== "—").length;
  return toShare(verdicts.filter(({ mark }) => mark === "✓").length, tried);
}

function toLower(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

function ofKind(
  transports: readonly MeasuredTransport[],
  kind: MeasuredTransport["kind"],
): readonly MeasuredTransport[] {
  return transports.filter((transport) => transport.kind === kind);
}

/** Ranks by more working features, then no session, then fewer long-lived streams, then fewer requests. */
function best(transports: readonly MeasuredTransport[]): MeasuredTransport | undefined {
  return transports.filter(hasWorked).sort((a, b) => compareAll(rank(a), rank(b)))[0];
}

function hasWorked({ verdicts }: MeasuredTransport): boolean {
  return verdicts.some(({ mark }) => mark === "✓");
}

function rank({ verdicts, measures }: MeasuredTransport): number[] {
  const works = verdicts.filter(({ mark }) => mark === "✓").length;
  return [-works, Number(measures.hasSession), measures.longLived.length, measures.sent];
}

function compareAll(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

function praise({ kind, verdicts, measures }: MeasuredTransport): string {
  const tried = verdicts.filter(({ mark }) => mark !== "—").length;
  const works = verdicts.filter(({ mark }) => mark === "✓").length;
  const stateless = {
    http: "no session, so any replica can answer any request",
    stdio: "no handshake, so no state is lost with the process",
  }[kind];
  const streams = kind === "http" ? `; ${plural(measures.longLived.length, "long-lived stream")}` : "";
  const first = measures.firstResultMs === undefined ? "" : `; first result after ${toMs(measures.firstResultMs)}`;
  const cost = `${plural(measures.sent, kind === "http" ? "request" : "line")}, ${toBytes(measures.bytesUp + measures.bytesDown)} bytes`;
  const session = measures.hasSession ? measures.session : stateless;
  return `${toShare(works, tried)}; ${session}${streams}; ${cost}${first}.`;
}

function toShare(works: number, tried: number): string {
  if (tried === 1) return "The only feature tried works";
  if (works === 2 && tried === 2) return "Both features tried work";
  return works === tried ? `All ${tried} features tried work` : `${works} of the ${tried} features tried work`;
}

function contrast(transport: MeasuredTransport, chosen: MeasuredTransport): string[] {
  const lacking = transport.verdicts.filter(
    ({ feature, mark }) =>
      mark === "✗" && chosen.verdicts.some((other) => other.feature === feature && other.mark === "✓"),
  );
  const { measures } = transport;
  const streams = measures.longLived.length - chosen.measures.longLived.length;
  const requests = measures.sent - chosen.measures.sent;
  const unit = transport.kind === "http" ? "request" : "line";
  return [
    lacking.length > 0 && `without ${lacking.map(({ feature }) => features[feature].toLowerCase()).join(", ")}`,
    measures.hasSession && !chosen.measures.hasSession && measures.session,
    streams !== 0 && `${plural(Math.abs(streams), "long-lived stream")} ${streams > 0 ? "more" : "fewer"}`,
    requests !== 0 && `${plural(Math.abs(requests), unit)} ${requests > 0 ? "more" : "fewer"}`,
  ].filter((text) => text !== false);
}

function plural(count: number, noun: string): string {
  return `${count === 0 ? "no" : count} ${noun}${count === 1 ? "" : "s"}`;
}
