// Which way to choose, in sentences that follow from the numbers and name them.
import { features } from "../script/script.ts";
import type { MeasuredWay } from "./measured-way.ts";
import { toBytes, toMs } from "./table.ts";

/** None for recorded traffic, in which nothing was tried. */
export function recommend(all: readonly MeasuredWay[]): string[] {
  const ways = all.filter(({ verdicts }) => verdicts.length > 0);
  const [overHttp, overPipes] = [ofTransport(ways, "http"), ofTransport(ways, "stdio")];
  const [remote, local] = [best(overHttp), best(overPipes)];
  const sentences: string[] = [];
  const pick = (chosen: MeasuredWay, from: readonly MeasuredWay[], where: string): void => {
    // Where there is no choice, none is recommended.
    const purpose = from.length > 1 ? `For a server ${where}` : `For a server ${where} there is one way`;
    sentences.push(`${purpose}: **${chosen.title}**. ${praise(chosen)}`);
  };
  if (remote) pick(remote, overHttp, "that others reach over a network");
  if (local) pick(local, overPipes, "on the same machine as its one client");
  for (const way of ways) {
    const chosen = way.transport === "http" ? remote : local;
    if (!chosen || way === chosen) continue;
    const differences = contrast(way, chosen);
    sentences.push(
      differences.length === 0
        ? `${way.title}: no difference that was measured here.`
        : `${way.title}, against that: ${differences.join("; ")}.`,
    );
  }
  return sentences;
}

function ofTransport(ways: readonly MeasuredWay[], wanted: MeasuredWay["transport"]): readonly MeasuredWay[] {
  return ways.filter(({ transport }) => transport === wanted);
}

/** More features first, then no session, then fewer streams that hold a machine, then fewer requests. */
function best(ways: readonly MeasuredWay[]): MeasuredWay | undefined {
  return ways.filter(hasWorked).sort((a, b) => compareAll(rank(a), rank(b)))[0];
}

function hasWorked({ verdicts }: MeasuredWay): boolean {
  return verdicts.some(({ mark }) => mark === "✓");
}

function rank({ verdicts, measures }: MeasuredWay): number[] {
  const works = verdicts.filter(({ mark }) => mark === "✓").length;
  return [-works, Number(measures.hasSession), measures.longLived.length, measures.sent];
}

function compareAll(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

function praise({ transport, verdicts, measures }: MeasuredWay): string {
  const tried = verdicts.filter(({ mark }) => mark !== "—").length;
  const works = verdicts.filter(({ mark }) => mark === "✓").length;
  const untied = {
    http: "no session, so that any replica can answer any request",
    stdio: "no handshake, so that nothing is lost with the process",
  }[transport];
  const streams = transport === "http" ? `; ${plural(measures.longLived.length, "long-lived stream")}` : "";
  const first = measures.firstResultMs === undefined ? "" : `; the first result after ${toMs(measures.firstResultMs)}`;
  const cost = `${plural(measures.sent, transport === "http" ? "request" : "line")}, ${toBytes(measures.bytesUp + measures.bytesDown)} bytes`;
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

function contrast(way: MeasuredWay, chosen: MeasuredWay): string[] {
  const lacking = way.verdicts.filter(
    ({ feature, mark }) =>
      mark === "✗" && chosen.verdicts.some((other) => other.feature === feature && other.mark === "✓"),
  );
  const { measures } = way;
  const streams = measures.longLived.length - chosen.measures.longLived.length;
  const requests = measures.sent - chosen.measures.sent;
  const unit = way.transport === "http" ? "request" : "line";
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
