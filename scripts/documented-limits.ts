// The limits in the source and those in SECURITY.md, side by side: a test compares them.
import { readdirSync, readFileSync } from "node:fs";

export interface Limit {
  /** From the root of the project. */
  readonly file: string;
  /** As the source calls it. */
  readonly name: string;
  /** In ms, bytes, or as a count. */
  readonly value: number;
}

const root = new URL("../", import.meta.url);
const packages = ["protocol", "server", "client", "gateway", "redis"];

/** A bound or a time by its name, with a number as its default: `maxX = 1_000`, `xMs: options.xMs ?? 30_000`, `xBytes: 4 * 1024`. */
const declaration =
  /\b(max(?:[A-Z]\w*)?|\w+Ms|\w+Bytes|\w*[lL]imit|(?:default)?Max[A-Z]\w*|default\w+)(?::\s*[\w<>"| ]+)?\s*(?:=|:|\?\?|:\s*[\w.?]+\s*\?\?)\s*(\d[\d_]*(?:\.\d+)?(?:\s*\*\s*[\d_]+)*)\s*[,;})\n]/g;

/** Every limit that the source declares, without duplicates. A name that has several defaults in one file stands there once for each. */
export function limitsInSource(): Limit[] {
  const found = new Map<string, Limit>();
  for (const name of packages) {
    const folder = `packages/${name}/src`;
    for (const entry of readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })) {
      if (!entry.endsWith(".ts") || entry.endsWith(".test.ts") || /testing\/|contract/.test(entry)) continue;
      const file = `${folder}/${entry}`;
      for (const limit of limitsIn(readFileSync(new URL(file, root), "utf8"), file)) {
        found.set(`${file} ${limit.name} ${limit.value}`, limit);
      }
    }
  }
  return [...found.values()];
}

export function limitsIn(source: string, file: string): Limit[] {
  const code = source.replace(/^ *\* .*$/gm, "");
  return [...code.matchAll(declaration)].map(([, name = "", text = ""]) => ({ file, name, value: product(text) }));
}

function product(text: string): number {
  return text.split("*").reduce((value, factor) => value * Number(factor.trim().replaceAll("_", "")), 1);
}

/** A row reads: what is limited | [`name`](file) and how it is set | default. */
const row = /^\|[^|]+\|\s*\[`(\w+)`\]\((packages\/[^)]+)\)[^|]*\|\s*([^|]+?)\s*\|$/gm;

export function limitsInDocument(text: string): Limit[] {
  return [...text.matchAll(row)].map(([, name = "", file = "", value = ""]) => ({
    file,
    name,
    value: quantity(value),
  }));
}

const units: Readonly<Record<string, number>> = {
  "": 1,
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  bytes: 1,
  KiB: 1_024,
  MiB: 1_024 ** 2,
};

/** "4 MiB" and "30 s" as bytes and ms. NaN for anything else. */
export function quantity(text: string): number {
  const [, number = "", unit = ""] = /^([\d,.]+)\s*(\w*)$/.exec(text) ?? [];
  return number === "" ? Number.NaN : Number(number.replaceAll(",", "")) * (units[unit] ?? Number.NaN);
}
