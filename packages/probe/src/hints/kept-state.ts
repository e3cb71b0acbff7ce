// Finds signs that tools keep state between calls, in any revision: an argument that names a session, or a name such as
// `activate_project`. A sign is a hint and never a verdict.
import { isJsonObject, type JsonObject } from "@lethe/protocol";

/** `session`, `sessionId`, `conversation_name`, `handle`, `tab-id`, … */
const sessionArgument =
  /^(?:session|conversation|handle|repl|(?:session|conversation|transaction|connection|kernel|repl|terminal|shell|tab|process)[_-]?(?:id|name|key|handle))$/i;

/** Verbs that start the name of a tool that changes the context of later calls. */
const firstVerbs: ReadonlySet<string> = new Set([
  ...["activate", "deactivate", "select", "open", "close", "use", "set", "switch", "attach", "detach", "connect"],
  ...["disconnect", "login", "logout", "begin", "commit", "rollback", "navigate"],
]);
/** Verbs that may also end such a name, as in `browser_close`. */
const lastVerbs: ReadonlySet<string> = new Set(["activate", "select", "open", "close", "navigate", "login", "logout"]);

/** The number of signs that are listed. Further ones are counted. */
const maxSigns = 5;

/** Returns one sentence for each sign, those about session arguments first. Empty if there is none. */
export function signsOfKeptState(tools: readonly unknown[]): readonly string[] {
  const byArgument: string[] = [];
  const byName: string[] = [];
  for (const tool of tools) {
    if (!isJsonObject(tool) || typeof tool.name !== "string") continue;
    const argument = sessionArgumentOf(tool);
    if (argument !== undefined) byArgument.push(`tool ${tool.name} has an argument ${JSON.stringify(argument)}`);
    else if (!isReadOnly(tool) && isStateVerb(tool.name)) {
      byName.push(`tool ${tool.name} is named like a tool that changes the context of later calls`);
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
