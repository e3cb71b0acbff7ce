// Rewrites one file: detects the library that it uses, edits its definitions, and tidies its imports.
import { migrateFastmcp } from "./fastmcp/migrate-fastmcp.ts";
import { migrateOfficial } from "./official/migrate-official.ts";
import { type Finding, SourceFile } from "./source/source-file.ts";
import { tidyImports } from "./source/tidy-imports.ts";

export interface MigrateOptions {
  /** Decides between JavaScript and TypeScript by its ending. */
  readonly path: string;
  /**
   * Clients of the official SDK and of fastmcp see the message of every error that a handler throws. True keeps that: handlers are
   * wrapped in `exposeErrors`. False: clients see an error id, and only the messages of a ToolError. Default true.
   */
  readonly exposeErrors?: boolean;
}

/** The result for one file. */
export interface Migration {
  readonly text: string;
  /** Undefined for a file without an import of the official SDK or of fastmcp; its text is unchanged. */
  readonly from: "official SDK" | "fastmcp" | undefined;
  /** What a person has to do, by line. The lines are those of the original text. */
  readonly findings: readonly Finding[];
}

/**
 * Rewrites the source of an MCP server. Throws a SyntaxError for text that is neither JavaScript nor TypeScript.
 *
 * @example
 * import { migrateSource } from "@lethe/migrate";
 *
 * const before = `import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
 * const server = new McpServer({ name: "hello", version: "1.0.0" });
 * server.registerTool("hello", { description: "Greets" }, () => ({ content: [{ type: "text", text: "Hello" }] }));`;
 * console.log(migrateSource(before, { path: "server.ts" }).text);
 */
export function migrateSource(text: string, options: MigrateOptions): Migration {
  const file = new SourceFile(text, options.path);
  const from = detect(file);
  if (from === undefined) return { text, from, findings: [] };
  const exposeErrors = options.exposeErrors ?? true;
  if (from === "fastmcp") migrateFastmcp(file, { exposeErrors });
  else migrateOfficial(file, { exposeErrors });
  const tidy = tidyImports(file.edits.toString(), { path: options.path, needed: file.imports, isReplaced });
  const findings = [...file.findings, ...tidy.findings].sort((a, b) => a.line - b.line);
  return { text: tidy.text, from, findings };
}

function detect(file: SourceFile): Migration["from"] {
  const modules = file.ast.program.body.flatMap((node) =>
    node.type === "ImportDeclaration" ? [node.source.value] : [],
  );
  if (modules.some((module) => module === "fastmcp")) return "fastmcp";
  return modules.some(isReplaced) ? "official SDK" : undefined;
}

/** The client of the official SDK stays: it works with any server. */
function isReplaced(module: string): boolean {
  return (
    module === "fastmcp" ||
    /^@modelcontextprotocol\/(server|node|express|fastify|hono|core)(\/|$)/.test(module) ||
    (/^@modelcontextprotocol\/sdk(\/|$)/.test(module) && !module.includes("/client/"))
  );
}
