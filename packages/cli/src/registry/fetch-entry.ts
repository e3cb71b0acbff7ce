// Reads an entry of an MCP registry: GET /v0.1/servers/NAME/versions/latest, through the proxy of HTTPS_PROXY if there is one. Answers are bounded
// in size and time.
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { CommandError, exitCode } from "../exit-code.ts";
import { toPrintableLine } from "../terminal/printable.ts";

export const defaultRegistry = "https://registry.modelcontextprotocol.io";

const maxBytes = 1024 * 1024;
const timeoutMs = 15_000;
const maxSuggestions = 5;
const namePattern = /^[A-Za-z0-9.-]{1,150}\/[A-Za-z0-9._-]{1,100}$/;

interface RegistryRequest {
  readonly registry: string;
  readonly name: string;
  readonly version: string;
}

/** Resolves with the answer, unchecked. Rejects with CommandError, which suggests names for one that the registry does not have. */
export async function fetchEntry({ registry, name, version }: RegistryRequest): Promise<JsonObject> {
  if (!namePattern.test(name)) {
    const found = await suggest(registry, name);
    throw new CommandError(`a name such as io.github.user/server is expected, got "${toPrintableLine(name)}"${found}`);
  }
  const path = `/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
  const answer = await get(registry, path);
  if (answer !== undefined) return answer;
  const found = await suggest(registry, name.slice(name.indexOf("/") + 1));
  throw new CommandError(`${registry} has no server ${name} in version ${version}${found}`);
}

/** Returns names that contain the word, as an addition to an error message. */
async function suggest(registry: string, word: string): Promise<string> {
  const query = new URLSearchParams({ search: word.slice(0, 100), version: "latest", limit: String(maxSuggestions) });
  const { servers } = (await get(registry, `/v0.1/servers?${query}`)) ?? {};
  const names = (Array.isArray(servers) ? servers : []).flatMap((entry) => {
    const name = isJsonObject(entry) && isJsonObject(entry.server) ? entry.server.name : undefined;
    return typeof name === "string" && namePattern.test(name) ? [name] : [];
  });
  return names.length === 0 ? "" : `; the registry has ${names.slice(0, maxSuggestions).join(", ")}`;
}

/** Resolves with undefined for 404. */
async function get(registry: string, path: string): Promise<JsonObject | undefined> {
  const url = `${registry.replace(/\/+$/, "")}${path}`;
  try {
    const headers = { Accept: "application/json" };
    const { createGuardedFetch } = await import("@lethe/client/node");
    const fetch = createGuardedFetch({ server: url });
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) await response.body?.cancel();
    if (response.status === 404) return undefined;
    const isRedirect = response.status >= 300 && response.status < 400;
    if (!response.ok)
      throw new Error(`status ${response.status}${isRedirect ? ", a redirect that is not followed" : ""}`);
    const value: unknown = JSON.parse(await readText(response));
    if (isJsonObject(value)) return value;
    throw new Error("the answer is not a JSON object");
  } catch (error) {
    throw new CommandError(`${registry} cannot be read: ${reasonOf(error)}`, exitCode.unreachable);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return toPrintableLine(error);
  if (error.name === "TimeoutError") return `no complete answer within ${timeoutMs / 1000} s`;
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return toPrintableLine(`${error.message}${cause}`);
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
