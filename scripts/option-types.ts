// Finds every options object that a function or a method of the public API accepts, by the types of the entry points.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  API,
  type Checker,
  type Symbol as Name,
  SignatureKind,
  SymbolFlags,
  type Type,
} from "typescript/unstable/sync";

/** A parameter with options. */
export interface OptionsParameter {
  readonly entryPoint: string;
  /** The exported function or class, or the type of the object whose method it is. */
  readonly owner: string;
  /** Undefined for an exported function or constructor. */
  readonly method: string | undefined;
  readonly isClass: boolean;
  readonly index: number;
  /** The type of the options. */
  readonly type: string;
  /** The members that lead to each options object in it; empty for the options themselves. */
  readonly paths: readonly (readonly string[])[];
}

export interface EntryPoint {
  readonly name: string;
  readonly source: URL;
}

/** For other packages of the workspace only. The compiler checks what they pass. */
const withoutUsers: ReadonlySet<string> = new Set(["server/forwarding"]);

/** The public packages' entry points, and those of the packages that `lethe` contains. */
export const entryPoints: readonly EntryPoint[] = [
  "server",
  "client",
  "openapi",
  "redis",
  "gateway",
  "probe",
  "compare",
].flatMap((name) => {
  const folder = new URL(`../packages/${name}/`, import.meta.url);
  const { exports } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8")) as {
    exports: Record<string, { "@lethe/source"?: string }>;
  };
  return Object.entries(exports).flatMap(([path, { "@lethe/source": source }]) =>
    source === undefined || withoutUsers.has(name + path.slice(1))
      ? []
      : [{ name: name + path.slice(1), source: new URL(source, folder) }],
  );
});

/** `exempt` are the names of types that are no options. */
export function findOptionsParameters(exempt: ReadonlySet<string>): readonly OptionsParameter[] {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const api = new API({ cwd: root });
  try {
    const [project] = api.updateSnapshot({ openProjects: [`${root}tsconfig.tests.json`] }).getProjects();
    if (project === undefined) throw new Error("tsconfig.tests.json is no project");
    const { program, checker } = project;
    const walk = new Walk(checker, exempt);
    for (const { name, source } of entryPoints) {
      const file = program.getSourceFile(fileURLToPath(source));
      const module = file && checker.getSymbolAtLocation(file);
      if (module) walk.addEntryPoint(name, checker.getExportsOfModule(module));
    }
    return walk.found;
  } finally {
    api.close();
  }
}

class Walk {
  readonly #checker: Checker;
  readonly #exempt: ReadonlySet<string>;
  #entryPoint = "";
  /** The names of types whose methods were found. Type arguments make no difference to them. */
  readonly #seen = new Set<string>();
  readonly found: OptionsParameter[] = [];

  constructor(checker: Checker, exempt: ReadonlySet<string>) {
    this.#checker = checker;
    this.#exempt = exempt;
  }

  addEntryPoint(entryPoint: string, names: readonly Name[]): void {
    this.#entryPoint = entryPoint;
    for (const given of names) {
      const name = given.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(given) : given;
      if (name.flags & (SymbolFlags.Function | SymbolFlags.Variable | SymbolFlags.Class)) this.#addFunction(name);
      else if (name.flags & SymbolFlags.Interface) this.#addMethods(this.#checker.getDeclaredTypeOfSymbol(name));
    }
  }

  #addFunction(name: Name): void {
    const type = this.#checker.getTypeOfSymbol(name);
    if (type === undefined) return;
    for (const kind of [SignatureKind.Call, SignatureKind.Construct]) {
      const isClass = kind === SignatureKind.Construct;
      this.#addSignatures(type, kind, { owner: name.name, method: undefined, isClass });
    }
  }

  #addSignatures(type: Type, kind: SignatureKind, place: Pick<OptionsParameter, "owner" | "method" | "isClass">): void {
    for (const signature of this.#checker.getSignaturesOfType(type, kind)) {
      for (const [index, parameter] of signature.getParameters().entries()) {
        const given = this.#checker.getTypeOfSymbol(parameter);
        for (const options of given ? this.#optionsIn(given) : []) this.#add(place, index, options);
      }
      const result = this.#checker.getReturnTypeOfSignature(signature);
      if (result) for (const made of this.#objectsIn(result)) this.#addMethods(made);
    }
  }

  #add(place: Pick<OptionsParameter, "owner" | "method" | "isClass">, index: number, options: Type): void {
    const isKnown = this.found.some(
      ({ entryPoint, owner, method, index: other }) =>
        (method !== undefined || entryPoint === this.#entryPoint) &&
        owner === place.owner &&
        method === place.method &&
        other === index,
    );
    if (isKnown) return;
    const type = this.#checker.typeToString(options);
    this.found.push({ entryPoint: this.#entryPoint, ...place, index, type, paths: this.#pathsIn(options, []) });
  }

  /** The methods of an object that an exported function returns, or of an exported interface. */
  #addMethods(type: Type): void {
    const owner = type.getSymbol()?.name ?? "";
    if (this.#seen.has(owner) || this.#exempt.has(owner) || !isDeclaredHere(type)) return;
    this.#seen.add(owner);
    for (const member of this.#checker.getPropertiesOfType(type)) {
      const memberType = this.#checker.getTypeOfSymbol(member);
      if (memberType && member.flags & SymbolFlags.Method && !member.name.startsWith("__#")) {
        this.#addSignatures(memberType, SignatureKind.Call, { owner, method: member.name, isClass: false });
      }
    }
  }

  /** A type that contains itself is looked at once. */
  #pathsIn(options: Type, path: readonly string[], around: readonly number[] = []): (readonly string[])[] {
    if (around.includes(options.id)) return [];
    const inner = this.#checker.getPropertiesOfType(options).flatMap((member) => {
      const type = this.#checker.getTypeOfSymbol(member);
      const nested = type ? this.#optionsIn(type) : [];
      return nested.flatMap((each) => this.#pathsIn(each, [...path, member.name], [...around, options.id]));
    });
    return [path, ...inner];
  }

  #objectsIn(type: Type): Type[] {
    const given = this.#checker.getNonNullableType(type) ?? type;
    if (given.isUnionType()) return given.getTypes().flatMap((part) => this.#objectsIn(part));
    if (given.isTypeReference() && /^Promise|^Async|Iter/.test(given.getSymbol()?.name ?? "")) {
      return this.#checker.getTypeArguments(given).flatMap((part) => this.#objectsIn(part));
    }
    return given.isObjectType() ? [given] : [];
  }

  /** Objects of this project with at least one optional member, or that are named as options. */
  #optionsIn(type: Type): Type[] {
    const given = this.#checker.getNonNullableType(type) ?? type;
    if (given.isUnionType()) return given.getTypes().flatMap((part) => this.#optionsIn(part));
    if (!given.isObjectType() && !given.isIntersectionType()) return [];
    if (this.#checker.isArrayLikeType(given)) return [];
    if (this.#checker.getSignaturesOfType(given, SignatureKind.Call).length > 0) return [];
    if (this.#checker.getIndexInfosOfType(given).length > 0 || !isOwn(given)) return [];
    const name = (given.getAliasSymbol() ?? given.getSymbol())?.name ?? "";
    if (this.#exempt.has(name)) return [];
    const members = this.#checker.getPropertiesOfType(given);
    const isOptional = ({ flags }: Name) => (flags & SymbolFlags.Optional) !== 0;
    return name.endsWith("Options") || members.some(isOptional) ? [given] : [];
  }
}

function isDeclaredHere(type: Type): boolean {
  return type.getSymbol()?.declarations?.[0]?.path.includes("/packages/") === true;
}

/** Declared in a package of this project, and no part of the protocol's messages; or built from such types, like `Omit<…>`. */
function isOwn(type: Type): boolean {
  const path = (type.getAliasSymbol() ?? type.getSymbol())?.declarations?.[0]?.path ?? "";
  if (/\/protocol\/src\/(jsonrpc|meta|model|dispatch|revisions)\//.test(path)) return false;
  return path === "" || path.includes("/packages/") || path.includes("lib.es5.d.ts");
}
