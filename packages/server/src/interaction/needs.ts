// The client capabilities that an input request needs, compared with those that the client declared (A-22, A-43, E-23, E-96).
import {
  type ClientCapabilities,
  canElicit,
  type InputRequest,
  isJsonObject,
  type JsonObject,
  missingClientCapability,
} from "@lethe/protocol";

/** Throws McpError -32021 with exactly the missing capabilities. Only this request's declaration counts. */
export function checkNeeds(needs: ClientCapabilities, declared: ClientCapabilities): void {
  const missing: ClientCapabilities = {};
  if (needs.roots && !isJsonObject(declared.roots)) missing.roots = {};
  if (needs.elicitation) addMissingModes(missing, needs.elicitation, declared);
  if (needs.sampling) {
    const absent = missingMembers(needs.sampling, declared.sampling);
    if (absent) missing.sampling = absent as { tools?: JsonObject; context?: JsonObject };
  }
  for (const group of ["extensions", "experimental"] as const) {
    const absent = needs[group] && missingMembers(needs[group], declared[group]);
    if (absent && Object.keys(absent).length > 0) missing[group] = absent as { [id: string]: JsonObject };
  }
  if (Object.keys(missing).length > 0) throw missingClientCapability({ ...missing });
}

/** `elicitation: {}` needs, and declares, the form mode. */
function addMissingModes(
  missing: ClientCapabilities,
  needed: NonNullable<ClientCapabilities["elicitation"]>,
  declared: ClientCapabilities,
): void {
  const modes: NonNullable<ClientCapabilities["elicitation"]> = {};
  if ((needed.form || !needed.url) && !canElicit(declared, "form")) modes.form = {};
  if (needed.url && !canElicit(declared, "url")) modes.url = {};
  if (Object.keys(modes).length > 0) missing.elicitation = modes;
}

/** The missing members; undefined when nothing is missing. */
function missingMembers(needed: object, declared: unknown): JsonObject | undefined {
  const has = (member: string) => isJsonObject(declared) && isJsonObject(declared[member]);
  const absent = Object.keys(needed).filter((member) => !has(member));
  if (absent.length === 0 && isJsonObject(declared)) return undefined;
  return Object.fromEntries(absent.map((member) => [member, {}]));
}

/** The capabilities that a client must declare to get this request. */
export function needsOf(request: InputRequest): ClientCapabilities {
  if (request.method === "roots/list") return { roots: {} };
  if (request.method === "elicitation/create") {
    return { elicitation: request.params.mode === "url" ? { url: {} } : { form: {} } };
  }
  const { tools, toolChoice, includeContext } = request.params;
  const sampling: NonNullable<ClientCapabilities["sampling"]> = {};
  if (tools !== undefined || toolChoice !== undefined) sampling.tools = {};
  if (includeContext !== undefined && includeContext !== "none") sampling.context = {};
  return { sampling };
}
