// Which transport to choose, in sentences that follow from the numbers and name them.
import { features } from "../script/script.ts";
import type { MeasuredTransport } from "./measured-transport.ts";
import { toBytes, toMs } from "./table.ts";

/** None for recorded traffic, in which nothing was tried. */
export function recommend(all: readonly MeasuredTransport[]): string[] {
  const transports = all.filter(({ verdicts }) => verdicts.length > 0);
  const [overHttp, overPipes] = [ofKind(transports, "http"), ofKind(transports, "stdio")];
  const [remote, local] = [best(overHttp), best(overPipes)];
  const sentences: string[] = [];
  const pick = (chosen: MeasuredTransport, from: readonly MeasuredTransport[], where: string): void => {
    // Where there is no choice, none is recommended.
    const purpose = from.length > 1 ? `For a server ${where}` : `For a server ${where} there is one transport`;
    sentences.push(`${purpose}: **${chosen.title}**. ${praise(chosen)}`);
  };
  if (remote) pick(remote, overHttp, "that others reach over a network");
  if (local) pick(local, overPipes, "on the same machine as its one client");
  for (const transport of transports) {
    const chosen = transport.kind === "http" ? remote : local;
    if (!chosen || transport === chosen) continue;
    const differences = contrast(transport, chosen);
    sentences.push(
      differences.length === 0
        ? `${transport.title}: no difference that was measured here.`
        : `${transport.title}, against that: ${differences.join("; ")}.`,
    );
  }
  return sentences;
}

function ofKind(
  transports: readonly MeasuredTransport[],
  kind: MeasuredTransport["kind"],
): readonly MeasuredTransport[] {
  return transports.filter((transport) => transport.kind === kind);
}

/** More features first, then no session, then fewer streams that hold a machine, then fewer requests. */
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
  const untied = {
    http: "no session, so that any replica can answer any request",
    stdio: "no handshake, so that nothing is lost with the process",
  }[kind];
  const streams = kind === "http" ? `; ${plural(measures.longLived.length, "long-lived stream")}` : "";
  const first = measures.firstResultMs === undefined ? "" : `; the first result after ${toMs(measures.firstResultMs)}`;
  const cost = `${plural(measures.sent, kind === "http" ? "request" : "line")}, ${toBytes(measures.bytesUp + measures.bytesDown)} bytes`;
  const session = measures.hasSession ? measures.session : untied;
  return `${toShare(works, tried)}; ${session}${streams}; ${cost}${first}.`;
}

function toShare(works: number, tried: number): string {
  if (tried === 1) return "The one feature that was tried works";
  if (works === 2 && tried === 2) return "Both features that were tried work";
  return works === tried
    ? `All ${tried} features that were tried work`
    : `${works} of the ${tried} features that were tried work`;
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
