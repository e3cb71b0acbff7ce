// Finds the server that a module exports, or says what it exports instead.
import type { Servable } from "@lethe/server/node";
import { isOfficialServer, isServer } from "./is-server.ts";

export type ModuleExports = Readonly<Record<string, unknown>>;

/** `created` are the servers that the module created. Undefined when it exports none. Throws an Error for several. */
export async function findServer(exported: ModuleExports, created: readonly Servable[]): Promise<Servable | undefined> {
  const { default: main, ...named } = flatten(exported);
  if (isServer(main)) return main;
  // `export default { fetch: server.fetch }`, as Workers have it.
  const fetching = isRecord(main) && created.find((server) => "fetch" in server && server.fetch === main.fetch);
  if (fetching) return fetching;
  if (typeof main === "function" && main.length === 0 && !isClass(main)) {
    const made: unknown = await main();
    if (isServer(made)) return made;
  }
  const servers = Object.entries(named).filter((entry): entry is [string, Servable] => isServer(entry[1]));
  if (new Set(servers.map(([, server]) => server)).size > 1) {
    throw new Error(`exports several servers (${namesOf(servers)}): export the one to run as default`);
  }
  if (servers[0]) return servers[0][1];
  const factories = Object.entries(named).filter((entry): entry is [string, () => unknown] => isFactory(entry));
  if (factories.length > 1) {
    throw new Error(`exports several functions that create servers (${namesOf(factories)}): export one as default`);
  }
  const made = await factories[0]?.[1]();
  return isServer(made) ? made : undefined;
}

/** The message for a module without a server. */
export function describeMissing(exported: ModuleExports): string {
  const flat = flatten(exported);
  const official = Object.entries(flat).find(([, value]) => isOfficialServer(value));
  const found = official
    ? `It exports ${official[0]}, a server of the official SDK: run it behind \`lethe wrap -- COMMAND\`, or rewrite it with \`lethe migrate\`.`
    : `It exports ${describeExports(flat)}, and called neither serve nor serveStdio.`;
  return `has no server. Expected is one of:
  export default createServer({ … })     or a function without parameters that returns the server
  export const server = createServer({ … })
  a program that passes the server to serve or serveStdio of @lethe/server/node
${found}`;
}

/** The exports of a CommonJS module are the members of its default export. */
function flatten(exported: ModuleExports): ModuleExports {
  const { default: main } = exported;
  const isCommonJs = Object.keys(exported).length === 1 && isRecord(main) && !isServer(main);
  return isCommonJs ? { default: main, ...main } : exported;
}

function describeExports(exported: ModuleExports): string {
  const names = Object.entries(exported).map(([name, value]) => `${name} (${kindOf(value)})`);
  const shown = names.slice(0, 8).join(", ");
  return names.length === 0 ? "nothing" : names.length > 8 ? `${shown} and ${names.length - 8} more` : shown;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return isClass(value) ? "class" : typeof value;
}

function isFactory([name, value]: [string, unknown]): boolean {
  return typeof value === "function" && value.length === 0 && /^create\w*Server$/.test(name);
}

function isClass(value: unknown): boolean {
  return typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function namesOf(entries: readonly (readonly [string, unknown])[]): string {
  return entries.map(([name]) => name).join(", ");
}
