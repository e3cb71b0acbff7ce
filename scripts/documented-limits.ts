// Reads the limits of the source and those of SECURITY.md, which a test compares.
import { readdirSync, readFileSync } from "node:fs";

export interface Limit {
  /** Path from the root of the repository. */
  readonly file: string;
  /** The name in the source. */
  readonly name: string;
  /** In ms or bytes, or a count. */
  readonly value: number;
}

const root = new URL("../", import.meta.url);
const packages = ["protocol", "server", "client", "gateway", "console", "openapi", "redis", "postgres"];

/** A bound or a time by its name, with a number as its default: `maxX = 1_000`, `xMs: options.xMs ?? 30_000`, `xBytes: 4 * 1024`. */
const declaration =
  /\b(max(?:[A-Z]\w*)?|\w+Ms|\w+Bytes|\w*[lL]imit|(?:default)?Max[A-Z]\w*|default\w+)(?::\s*[\w<>"| ]+)?\s*(?:=|:|\?\?|:\s*[\w.?]+\s*\?\?)\s*(\d[\d_]*(?:\.\d+)?(?:\s*\*\s*[\d_]+)*)\s*[,;})\n]/g;

/** Returns every limit of the source without duplicates. A name with several defaults in one file appears once for each. */
export function limitsInSource(): Limit[] {
  const found = new Map<string, Limit>();
  for (const name of packages) {
    const folder = `packages/${name}/src`;
    for (const entry of readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })) {
      if (!/\.tsx?$/.test(entry) || entry.endsWith(".test.ts") || /testing\/|contract/.test(entry)) continue;
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

/** A row has the columns: description | [`name`](file) and setting | default. */
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

/** Converts "4 MiB" to bytes and "30 s" to ms. Returns NaN for other text. */
export function quantity(text: string): number {
  const [, number = "", unit = ""] = /^([\d,.]+)\s*(\w*)$/.exec(text) ?? [];
  return number === "" ? Number.NaN : Number(number.replaceAll(",", "")) * (units[unit] ?? Number.NaN);
}
