// Finds exported names and members of options for which an editor shows no text, by the language service of TypeScript.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript-5";

/** The packages that users install. `lethe` is in the folder "cli". */
const packages = ["cli", "client", "openapi", "protocol", "redis", "server"];

/** For other packages of the workspace only. */
const withoutUsers: ReadonlySet<string> = new Set(["server/forwarding"]);

/** Types whose members need a text: options and settings, and the objects that every user meets. */
const membersNeedText =
  /(?:Options|Settings|Config|Limits)$|^(?:Client|Context|Handlers|Server|Serving|Gateway|ClientView)$/;

export interface HoverTexts {
  /** How many names were read. */
  readonly count: number;
  /** "file: name" of each name without a text. */
  readonly missing: readonly string[];
  /** The names that editors strike out, because they are deprecated. */
  readonly deprecated: readonly string[];
}

/** Reads the names of every public entry point, types included. */
export function readHoverTexts(): HoverTexts {
  const files = packages.flatMap(entryPointsOf);
  const service = ts.createLanguageService(createHost(files));
  const reader = new HoverReader(service);
  for (const file of files) reader.read(file);
  service.dispose();
  return reader;
}

function entryPointsOf(folder: string): string[] {
  const manifest = new URL(`../packages/${folder}/package.json`, import.meta.url);
  const { exports } = JSON.parse(readFileSync(manifest, "utf8")) as {
    exports: Record<string, { "@lethe/source": string }>;
  };
  const ofUsers = Object.entries(exports).filter(([path]) => !withoutUsers.has(folder + path.slice(1)));
  return ofUsers.map(([, entry]) => fileURLToPath(new URL(entry["@lethe/source"], manifest)));
}

const root = fileURLToPath(new URL("..", import.meta.url));

function createHost(files: string[]): ts.LanguageServiceHost {
  const { config } = ts.readConfigFile(`${root}tsconfig.tests.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files }, ts.sys, root);
  // Comments need no types of the runtime, and reading fewer files takes a third of the time.
  const settings: ts.CompilerOptions = { ...options, noLib: true, types: [] };
  const cache = ts.createModuleResolutionCache(root, (name) => name, settings);
  const resolve = (name: string, from: string): ts.ResolvedModuleWithFailedLookupLocations =>
    /^(?:\.|@?lethe\/)/.test(name)
      ? ts.resolveModuleName(name, from, settings, ts.sys, cache, undefined, ts.ModuleKind.ESNext)
      : { resolvedModule: undefined };
  return {
    getCompilationSettings: () => settings,
    // Files do not change: otherwise each question compares all of them.
    getProjectVersion: () => "1",
    resolveModuleNameLiterals: (literals, from) => literals.map(({ text }) => resolve(text, from)),
    getScriptFileNames: () => files,
    getScriptVersion: () => "1",
    getScriptSnapshot(file) {
      const text = ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    ...(ts.sys.realpath && { realpath: ts.sys.realpath }),
  };
}

class HoverReader implements HoverTexts {
  readonly #service: ts.LanguageService;
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  /** A name may belong to several entry points. */
  readonly #seen = new Set<ts.Symbol>();
  readonly missing: string[] = [];
  readonly deprecated: string[] = [];

  constructor(service: ts.LanguageService) {
    const program = service.getProgram();
    if (program === undefined) throw new Error("the language service has no program");
    this.#service = service;
    this.#program = program;
    this.#checker = program.getTypeChecker();
  }

  get count(): number {
    return this.#seen.size;
  }

  read(file: string): void {
    const source = this.#program.getSourceFile(file);
    const module = source && this.#checker.getSymbolAtLocation(source);
    for (const name of module ? this.#checker.getExportsOfModule(module) : []) {
      const isAlias = (name.flags & ts.SymbolFlags.Alias) !== 0;
      const symbol = isAlias ? this.#checker.getAliasedSymbol(name) : name;
      this.#readName(symbol, symbol.name);
      if (membersNeedText.test(symbol.name)) this.#readMembers(symbol);
    }
  }

  #readMembers(type: ts.Symbol): void {
    for (const member of type.members?.values() ?? []) {
      const name = member.declarations?.[0] && ts.getNameOfDeclaration(member.declarations[0]);
      const isMember =
        (member.flags & (ts.SymbolFlags.Property | ts.SymbolFlags.Method | ts.SymbolFlags.Accessor)) !== 0;
      const isPrivate = name !== undefined && ts.isPrivateIdentifier(name);
      if (isMember && !isPrivate) this.#readName(member, `${type.name}.${member.name}`);
    }
  }

  #readName(symbol: ts.Symbol, title: string): void {
    if (this.#seen.has(symbol)) return;
    this.#seen.add(symbol);
    const name = symbol.declarations?.map(ts.getNameOfDeclaration).find((node) => node !== undefined);
    const file = name?.getSourceFile().fileName ?? "";
    const info = name && this.#service.getQuickInfoAtPosition(file, name.getStart());
    if (info?.tags?.some((tag) => tag.name === "deprecated" && tag.text?.length)) this.deprecated.push(title);
    if (ts.displayPartsToString(info?.documentation) === "") this.missing.push(`${file.replace(root, "")}: ${title}`);
  }
}
