// Masks configured secrets in text of upstreams in one pass, so that the time does not depend on the number of secrets (Aho and
// Corasick, 1975).
import { hidden, toForms } from "@lethe/probe";
import { isJsonObject } from "@lethe/protocol";

export interface SecretMask {
  text(text: string): string;
  /** Returns the same value if it contains no secret, else a copy. Member names are masked as well. */
  value<T>(value: T): T;
}

export const noMask: SecretMask = { text: (text) => text, value: (value) => value };

/** Values nested deeper are replaced. */
const maxDepth = 100;

/** Masks each secret verbatim, URL-encoded and JSON-encoded, and the text after a scheme such as `Bearer`. */
export function createSecretMask(secrets: Iterable<string>): SecretMask {
  const forms = new Set([...secrets].flatMap(toForms));
  if (forms.size === 0) return noMask;
  const text = createTextMask(forms);

  function value(given: unknown, depth: number): unknown {
    if (typeof given === "string") return text(given);
    if (typeof given !== "object" || given === null) return given;
    if (depth >= maxDepth) return hidden;
    if (Array.isArray(given)) {
      const items = given.map((item) => value(item, depth + 1));
      return items.some((item, index) => item !== given[index]) ? items : given;
    }
    if (!isJsonObject(given)) return given;
    const members = Object.entries(given);
    const masked = members.map(([name, member]) => [text(name), value(member, depth + 1)] as const);
    const isSame = masked.every(
      ([name, member], index) => name === members[index]?.[0] && member === members[index][1],
    );
    return isSame ? given : Object.fromEntries(masked);
  }

  return { text, value: <T>(given: T) => value(given, 0) as T };
}

/** Masks each of the secrets verbatim. */
export function createTextMask(secrets: Iterable<string>): SecretMask["text"] {
  const find = createFinder(secrets);
  return (given) => replaceRanges(given, find(given));
}

/** Returns the ranges of secrets in a text, sorted and without overlaps. The end of a range is exclusive. */
type Find = (text: string) => [start: number, end: number][];

/** A node of the automaton: the node of its longest proper suffix, and the length of its longest suffix that is a secret. */
interface Node {
  fallback: number;
  secretLength: number;
}

const root = 0;
const codeUnits = 65_536;

function createFinder(secrets: Iterable<string>): Find {
  /** Children by node and code unit, in one map, because most nodes have one child. */
  const children = new Map<number, number>();
  const nodes: Node[] = [{ fallback: root, secretLength: 0 }];
  /** Node, parent and the code unit between them, by depth. */
  const levels: [node: number, parent: number, unit: number][][] = [];
  for (const secret of secrets) {
    let node = root;
    for (let at = 0; at < secret.length; at += 1) {
      const unit = secret.charCodeAt(at);
      let child = children.get(node * codeUnits + unit);
      if (child === undefined) {
        child = nodes.push({ fallback: root, secretLength: 0 }) - 1;
        children.set(node * codeUnits + unit, child);
        const level = levels[at] ?? [];
        level.push([child, node, unit]);
        levels[at] = level;
      }
      node = child;
    }
    const end = nodes[node];
    if (end) end.secretLength = secret.length;
  }

  function step(from: number, unit: number): number {
    let node = from;
    for (;;) {
      const child = children.get(node * codeUnits + unit);
      if (child !== undefined) return child;
      if (node === root) return root;
      node = nodes[node]?.fallback ?? root;
    }
  }

  for (const [child, parent, unit] of levels.flat()) {
    const node = nodes[child];
    if (!node || parent === root) continue;
    node.fallback = step(nodes[parent]?.fallback ?? root, unit);
    if (node.secretLength === 0) node.secretLength = nodes[node.fallback]?.secretLength ?? 0;
  }

  return (text) => {
    const found: [number, number][] = [];
    let node = root;
    for (let at = 0; at < text.length; at += 1) {
      node = step(node, text.charCodeAt(at));
      const length = nodes[node]?.secretLength ?? 0;
      if (length > 0) addRange(found, at + 1 - length, at + 1);
    }
    return found;
  };
}

/** The ranges arrive sorted by their ends. */
function addRange(ranges: [number, number][], start: number, end: number): void {
  let first = start;
  for (let last = ranges.at(-1); last && last[1] > first; last = ranges.at(-1)) {
    first = Math.min(first, last[0]);
    ranges.pop();
  }
  ranges.push([first, end]);
}

function replaceRanges(text: string, ranges: readonly [number, number][]): string {
  if (ranges.length === 0) return text;
  const parts: string[] = [];
  let position = 0;
  for (const [start, end] of ranges) {
    parts.push(text.slice(position, start), hidden);
    position = end;
  }
  parts.push(text.slice(position));
  return parts.join("");
}
