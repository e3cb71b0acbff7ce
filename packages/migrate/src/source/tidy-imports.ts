// Removes imports that a migrated file no longer uses, and adds the ones that it needs.
import type { ImportDeclaration } from "@babel/types";
import { endOf, type Finding, SourceFile, startOf } from "./source-file.ts";
import { walk } from "./walk.ts";

export interface TidyOptions {
  readonly path: string;
  /** The names to import, by module. */
  readonly needed: ReadonlyMap<string, ReadonlySet<string>>;
  /** True for the modules that the migration replaces. */
  readonly isReplaced: (module: string) => boolean;
}

/** Returns the new text, and a finding for each name of a replaced module that is still in use. */
export function tidyImports(text: string, options: TidyOptions): { text: string; findings: Finding[] } {
  const file = new SourceFile(text, options.path);
  const declarations = file.ast.program.body.filter((node) => node.type === "ImportDeclaration");
  const used = usedNames(file);
  const added = [...options.needed].flatMap(([module, names]) => toImport(module, names, declarations));
  let place: number | undefined;
  for (const declaration of declarations.filter(({ source }) => options.isReplaced(source.value))) {
    place ??= startOf(declaration);
    removeUnused(file, declaration, used);
  }
  file.edits.appendRight(place ?? firstStatement(file), added.map((line) => `${line}\n`).join(""));
  return { text: file.edits.toString(), findings: file.findings };
}

/** All identifiers outside of import declarations. Shadowed names count as uses, which keeps an import too many. */
function usedNames(file: SourceFile): Set<string> {
  const names = new Set<string>();
  walk(file.ast.program, (node, ancestors) => {
    if (ancestors.some(({ type }) => type === "ImportDeclaration")) return;
    if (node.type === "Identifier" || node.type === "JSXIdentifier") names.add(node.name);
  });
  return names;
}

function removeUnused(file: SourceFile, declaration: ImportDeclaration, used: ReadonlySet<string>): void {
  const kept = declaration.specifiers.filter(({ local }) => used.has(local.name));
  if (kept.length === 0 && declaration.specifiers.length > 0) {
    file.removeStatement(declaration);
    return;
  }
  for (const { local } of kept) file.find(declaration, `${local.name} of ${declaration.source.value} is still in use`);
  if (kept.length === declaration.specifiers.length || kept.some(({ type }) => type !== "ImportSpecifier")) return;
  const names = kept.map((specifier) => file.textOf(specifier)).join(", ");
  const first = declaration.specifiers[0];
  const last = declaration.specifiers.at(-1);
  if (first && last) file.edits.overwrite(startOf(first), endOf(last), names);
}

function toImport(module: string, names: ReadonlySet<string>, present: readonly ImportDeclaration[]): string[] {
  const imported = new Set(
    present
      .filter(({ source }) => source.value === module)
      .flatMap(({ specifiers }) => specifiers.map(({ local }) => local.name)),
  );
  const missing = [...names].filter((name) => !imported.has(name)).sort();
  return missing.length === 0 ? [] : [`import { ${missing.join(", ")} } from "${module}";`];
}

function firstStatement(file: SourceFile): number {
  const first = file.ast.program.body[0];
  return first ? startOf(first) : file.text.length;
}
