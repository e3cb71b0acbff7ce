// Visits the nodes of a syntax tree in the order of the source.
import type { Node } from "@babel/types";

/** `ancestors` begins with the root and ends with the parent. */
export type Visit = (node: Node, ancestors: readonly Node[]) => void;

/** Visits `root` and all nodes below it, parents first. */
export function walk(root: Node, visit: Visit, ancestors: Node[] = []): void {
  visit(root, ancestors);
  ancestors.push(root);
  for (const child of childrenOf(root)) walk(child, visit, ancestors);
  ancestors.pop();
}

function* childrenOf(node: Node): Generator<Node> {
  for (const [key, value] of Object.entries(node)) {
    if (key === "loc" || key.endsWith("Comments") || key === "extra" || key === "errors" || key === "tokens") continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield child;
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
