// The start-up table: the verdict on each server and how it is served, followed by failures and warnings.
import type { UpstreamView, VerdictView } from "@lethe/gateway";
import { toPrintableLine } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";

const heads = ["server", "transport", "speaks", "is", "served by", "tools", "resources", "prompts"];
const firstNumber = 5;

type Paint = (text: string) => string;
const plain: Paint = (text) => text;

/** Returns aligned lines for a fixed-width font. */
export function toVerdictTable(upstreams: readonly UpstreamView[], style: Style): string {
  const rows = upstreams.map(toCells);
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((cells) => cells[column]?.length ?? 0)));
  const toLine = (cells: readonly string[], paintOf: (column: number) => Paint) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        // Padding is not coloured.
        const space = " ".repeat(width - cell.length);
        const painted = paintOf(column)(cell);
        return column < firstNumber ? painted + space : space + painted;
      })
      .join("  ")
      .trimEnd();
  const lines = [
    toLine(heads, () => style.dim),
    ...upstreams.map((upstream, row) =>
      toLine(rows[row] ?? [], (column) =>
        column === 0 ? style.bold : column === 3 ? paintOf(upstream, style) : plain,
      ),
    ),
  ];
  const failures = upstreams.flatMap(({ name, reason }) =>
    reason === undefined ? [] : `${style.red("✗")} ${name}: ${toPrintableLine(reason)}`,
  );
  const warnings = toWarnings(upstreams).map((warning) => `${style.yellow("!")} ${warning}`);
  return [...lines.map((line) => `  ${line}`), ...failures, ...warnings].map((line) => `${line}\n`).join("");
}

/** Groups servers with the same warning in one line. */
export function toWarnings(upstreams: readonly UpstreamView[]): string[] {
  const names = new Map<string, string[]>();
  for (const { name, warnings } of upstreams) {
    for (const warning of warnings) names.set(warning, [...(names.get(warning) ?? []), name]);
  }
  return [...names].map(([warning, warned]) => toPrintableLine(`${warned.join(", ")}: ${warning}`));
}

function toCells({ name, kind, state, verdict, use = "", ...offer }: UpstreamView): string[] {
  const isKnown = verdict !== undefined && (state === "ready" || state === "idle");
  const transport = transports[verdict?.transport ?? kind] ?? kind;
  if (!isKnown) return [name, transport, "–", state, "", "", "", ""];
  const counts = [offer.tools, offer.resources, offer.prompts].map(String);
  return [name, transport, toPrintableLine(toEras(verdict)), verdict.word, use, ...counts];
}

const transports: Readonly<Record<string, string>> = {
  stdio: "stdio",
  http: "HTTP",
  "streamable-http": "HTTP",
  "http-sse": "HTTP+SSE",
};

function toEras({ eras }: VerdictView): string {
  const spoken = (["modern", "legacy"] as const).filter((era) => eras[era].isSpoken);
  return spoken.map((era) => [...eras[era].revisions, era].join(" ")).join(", ");
}

function paintOf({ verdict, state }: UpstreamView, style: Style): Paint {
  if (state === "failed" || verdict?.word === "UNKNOWN") return style.red;
  if (state !== "ready" && state !== "idle") return style.dim;
  return verdict?.word === "STATELESS" ? style.green : style.yellow;
}
