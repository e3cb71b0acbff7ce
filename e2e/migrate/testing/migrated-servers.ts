// Migrates a published server with `lethe migrate`, and drives the original and the result with the same official client.

import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { onTestFinished } from "vitest";

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL("../../../", import.meta.url));
const run = promisify(execFile);

/** A new folder, removed after the test. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lethe-migrate-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The built program of a published server, such as "server-memory". */
export function originalOf(name: string): string {
  return join(dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)), "dist/index.js");
}

/** Copies a program with its folder, migrates the copy by the command, and returns the new program and its report. */
export async function migrated(program: string) {
  const folder = await newFolder();
  await cp(dirname(program), join(folder, "src"), { recursive: true });
  await cp(join(dirname(program), "../package.json"), join(folder, "package.json"));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"), "dir");
  const path = join(folder, "src", program.slice(dirname(program).length + 1));
  const command = [join(root, "packages/cli/bin/lethe.js"), "migrate", path, "--write", "--json"];
  const { stdout } = await run(process.execPath, command);
  const [report] = JSON.parse(stdout).files as { findings: { message: string }[] }[];
  return { path, findings: (report?.findings ?? []).map(({ message }) => message) };
}

/** Connects the client of SDK v1 to a program. */
export async function connectTo(
  program: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<Client> {
  const client = new Client({ name: "migration", version: "1.0.0" });
  const settings = { command: process.execPath, args: [program, ...args], stderr: "ignore" as const };
  await client.connect(new StdioClientTransport({ ...settings, env: { PATH: process.env.PATH ?? "", ...env } }));
  onTestFinished(() => client.close());
  return client;
}

export interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** What a client sees of a server: its lists, and the results of calls. Errors of a call are part of it. */
export async function observe(client: Client, calls: readonly Call[]) {
  const { tools } = await client.listTools();
  const results: unknown[] = [];
  for (const call of calls) results.push(await client.callTool(call).catch((error) => String(error)));
  const resources = client.getServerCapabilities()?.resources ? (await client.listResources()).resources : [];
  return { tools: tools.map(withoutDialect), results, resources };
}

/** Both libraries generate the schemas from the same zod; the dialect and what stands for "no other members" are theirs. */
function withoutDialect(tool: { execution?: unknown; inputSchema: object; outputSchema?: object | undefined }) {
  const plain = ({ $schema: _, additionalProperties: __, ...schema }: { [name: string]: unknown }) => schema;
  const { execution: _, ...rest } = tool;
  return {
    ...rest,
    inputSchema: plain({ ...tool.inputSchema }),
    ...(tool.outputSchema && { outputSchema: plain({ ...tool.outputSchema }) }),
  };
}
