// Where an import that leads nowhere may lead to later: when one of these files appears, the code is built again.
import { dirname, resolve } from "node:path";
import type { Message } from "esbuild";

const suffixes = ["", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json"];
const sourceOf: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
};

export function missingPathsOf(errors: readonly Pick<Message, "text" | "location">[]): string[] {
  return errors.flatMap(({ text, location }) => {
    const [, specifier] = /^Could not resolve "(\.[^"]*)"/.exec(text) ?? [];
    if (specifier === undefined || !location) return [];
    const path = resolve(dirname(location.file), specifier);
    const [ending = ""] = /\.[cm]?js$/.exec(path) ?? [];
    const sources = (sourceOf[ending] ?? []).map((other) => path.slice(0, -ending.length) + other);
    return [...suffixes.map((suffix) => path + suffix), ...sources];
  });
}
