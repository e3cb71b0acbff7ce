// Schemas of the official SDK may be raw shapes of zod. Lethe takes schemas.
import type { Node } from "@babel/types";
import type { SourceFile } from "../source/source-file.ts";
import { endOf, startOf } from "../source/source-file.ts";
import type { OfficialFile } from "./official-file.ts";

/** Wraps a raw shape in `z.object()`, and takes the JSON Schema out of `fromJsonSchema()`. */
export function toObjectSchema({ file, variables }: OfficialFile, value: Node): void {
  const origin = value.type === "Identifier" ? variables.get(value.name) : value;
  if (
    origin?.type === "ObjectExpression" ||
    (value.type === "MemberExpression" && file.textOf(value).endsWith(".shape"))
  ) {
    file.insertBefore(value, `${zodName(file)}.object(`);
    file.insertAfter(value, ")");
  } else if (origin === undefined) {
    file.find(
      value,
      `${file.textOf(value)} comes from another file: if it is a raw shape of zod, wrap it in z.object()`,
    );
  } else if (value.type === "CallExpression" && file.textOf(value.callee) === "fromJsonSchema") {
    const schema = value.arguments[0];
    if (!schema) return;
    file.edits.remove(startOf(value), startOf(schema));
    file.edits.remove(endOf(schema), endOf(value));
  }
}

/** The name under which the file imports zod, which is imported if it is not. */
function zodName(file: SourceFile): string {
  for (const node of file.ast.program.body) {
    if (node.type !== "ImportDeclaration" || !/^zod(\/|$)/.test(node.source.value)) continue;
    for (const { type, local, ...specifier } of node.specifiers) {
      const isZ = type !== "ImportSpecifier" || ("imported" in specifier && toName(specifier.imported) === "z");
      if (isZ) return local.name;
    }
  }
  file.import("zod", "z");
  return "z";
}

function toName(imported: Node): string {
  return imported.type === "Identifier" ? imported.name : "";
}
