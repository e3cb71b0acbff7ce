// Signs that the tools of a server keep state between calls, whatever its revision says about sessions: an argument that names
// a session, or a name such as `activate_project`. A hint with its evidence, never a verdict.
import { isJsonObject, type JsonObject } from "@lethe/protocol";

/** `session`, `sessionId`, `conversation_name`, `handle`, `tab-id`, … */
const sessionArgument =
  /^(?:session|conversation|handle|repl|(?:session|conversation|transaction|connection|kernel|repl|terminal|shell|tab|process)[_-]?(?:id|name|key|handle))$/i;

/** As the first word of a name: they change what later calls work on. */
const firstVerbs: ReadonlySet<string> = new Set([
  ...["activate", "deactivate", "select", "open", "close", "use", "set", "switch", "attach", "detach", "connect"],
  ...["disconnect", "login", "logout", "begin", "commit", "rollback", "navigate"],
]);
/** Also as the last word, as in `browser_close`. */
const lastVerbs: ReadonlySet<string> = new Set(["activate", "select", "open", "close", "navigate", "login", "logout"]);

/** So many signs are named; the rest is counted. */
const maxSigns = 5;

/** One sentence for each sign, those with a session argument first. Empty when no tool shows any. */
export function signsOfKeptState(tools: readonly unknown[]): readonly string[] {
  const byArgument: string[] = [];
  const byName: string[] = [];
  for (const tool of tools) {
    if (!isJsonObject(tool) || typeof tool.name !== "string") continue;
    const argument = sessionArgumentOf(tool);
    if (argument !== undefined) byArgument.push(`tool ${tool.name} has an argument ${JSON.stringify(argument)}`);
    else if (!isReadOnly(tool) && isStateVerb(tool.name)) {
      byName.push(`tool ${tool.name} is named like one that changes what later calls work on`);
    }
  }
  const signs = [...byArgument, ...byName];
  const more = signs.length - maxSigns;
  return more > 0 ? [...signs.slice(0, maxSigns), `${more} more tools show the same signs`] : signs;
}

function sessionArgumentOf({ inputSchema }: JsonObject): string | undefined {
  const properties = isJsonObject(inputSchema) ? inputSchema.properties : undefined;
  return isJsonObject(properties) ? Object.keys(properties).find((name) => sessionArgument.test(name)) : undefined;
}

function isReadOnly({ annotations }: JsonObject): boolean {
  return isJsonObject(annotations) && annotations.readOnlyHint === true;
}

/** Words are separated by `_`, `-`, `.`, `/` or a capital letter. */
function isStateVerb(name: string): boolean {
  const words = name
    .slice(0, 256)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  return firstVerbs.has(words[0] ?? "") || lastVerbs.has(words.at(-1) ?? "");
}
