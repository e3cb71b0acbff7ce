// Finds the servers of one file in any of the known formats: `mcpServers` of desktop clients, `servers` with `inputs` of VS
// Code, or the same under `mcp` in its settings.
import { isJsonObject, type JsonObject, nameOf } from "@lethe/protocol";
import { keyOf, type ReadContext, readValue, recordProblem } from "./read-value.ts";
import { entrySwitches } from "./schema/server.ts";
import { type EntryContext, readServerEntry } from "./server-entry.ts";
import type { Path } from "./source-file.ts";
import type { FileUpstream } from "./upstream-config.ts";
import { isUpstreamName, toUpstreamName } from "./upstream-name.ts";
import type { DeclaredInput } from "./variables.ts";

interface Shape {
  servers: Path;
  inputs?: Path;
  /** VS Code starts servers in the workspace folder. */
  startsInWorkspace?: true;
}

const shapes: readonly Shape[] = [
  { servers: ["mcpServers"] },
  { servers: ["servers"], inputs: ["inputs"], startsInWorkspace: true },
  { servers: ["mcp", "servers"], inputs: ["mcp", "inputs"] },
];

export interface FoundServer {
  /** The name in the file. */
  key: string;
  name: string;
  /** "file:line: key", for messages. */
  place: string;
  /** Undefined if the server is disabled. */
  upstream: FileUpstream | undefined;
}

export function readServers(
  context: ReadContext,
  entries: Omit<EntryContext, "name" | "defaultCwd" | "folder">,
): FoundServer[] {
  const { file, onProblem } = context;
  return shapes.flatMap(({ servers, startsInWorkspace }) => {
    const block = valueAt(file.document, servers);
    if (block === undefined) return [];
    if (!isJsonObject(block)) {
      onProblem(
        `${file.placeOf(servers)}: ${keyOf(servers)} must be an object that maps names to servers, got ${nameOf(block)}`,
      );
      return [];
    }
    const defaultCwd = startsInWorkspace && file.folder;
    return Object.entries(block).map(([key, given]): FoundServer => {
      const path = [...servers, key];
      const name = toUpstreamName(key);
      if (!isUpstreamName(name)) {
        const problem = `has a name that the gateway reserves for the path /mcp/${name}; rename the server`;
        recordProblem(path, problem, context);
      }
      const switches = readValue(entrySwitches, given, path, context);
      const isOn = switches !== undefined && switches.disabled !== true && switches.enabled !== false;
      const entry = { path, given, file: context };
      const upstream = isOn ? readServerEntry(entry, { ...entries, name, folder: file.folder, defaultCwd }) : undefined;
      return { key, name, place: `${file.placeOf(path)}: ${keyOf(path)}`, upstream };
    });
  });
}

/** Inputs by id. Malformed ones are skipped; a server that needs one reports it as missing. */
export function readInputs(document: JsonObject): Map<string, DeclaredInput> {
  const declared = new Map<string, DeclaredInput>();
  for (const { inputs } of shapes) {
    const list = inputs && valueAt(document, inputs);
    for (const input of Array.isArray(list) ? list : []) {
      if (isJsonObject(input) && typeof input.id === "string") declared.set(input.id, toDeclared(input));
    }
  }
  return declared;
}

function toDeclared({ description, default: fallback, options, password }: JsonObject): DeclaredInput {
  const texts = Array.isArray(options) ? options.map((option) => (isJsonObject(option) ? option.value : option)) : [];
  return {
    description: typeof description === "string" ? description : undefined,
    default: typeof fallback === "string" ? fallback : undefined,
    options: texts.length > 0 ? texts.filter((text) => typeof text === "string") : undefined,
    isSecret: password === true,
  };
}

/** Whether the file has a member for servers. */
export function hasServers(document: JsonObject): boolean {
  return shapes.some(({ servers }) => valueAt(document, servers) !== undefined);
}

/** Whether a path is a servers member, contains one, or is inside of one. */
export function isOfServers(path: Path): boolean {
  return shapes.some(({ servers }) => servers.every((step, index) => index >= path.length || path[index] === step));
}

function valueAt(document: JsonObject, path: Path): unknown {
  return path.reduce<unknown>((value, step) => (isJsonObject(value) ? value[step] : undefined), document);
}
