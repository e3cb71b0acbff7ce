// Recognizes tools that one era of their server cannot serve, and switches them to the other era. With the newest SDKs, a tool
// that sends a request (elicitation, sampling, roots) works only on older connections. A tool that returns `input_required` may
// work only on a connection of 2026-07-28.
import {
  errorCode,
  isJsonObject,
  isMcpError,
  type McpError,
  method,
  modelRevision,
  type Result,
} from "@lethe/protocol";
import { upstreamError } from "../upstreams/connection/upstream-error.ts";
import type { Session } from "../upstreams/sessions/session.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import type { ForwardedCall } from "./forwarded-call.ts";

const pushed = "[\"'`]?(?:elicitation/create|sampling/createMessage|roots/list)[\"'`]?";

/** The error messages of each SDK on a connection of 2026-07-28. */
const pushRefusals: readonly RegExp[] = [
  // TypeScript, of a request's context and of the server
  new RegExp(
    `requests are not available on protocol revision \\d{4}-\\d\\d-\\d\\d: ${pushed} cannot be sent while serving`,
  ),
  new RegExp(`Method ${pushed} is not supported by the negotiated protocol version`),
  // Go, official
  new RegExp(`${pushed} cannot be sent while serving a request on protocol version \\d{4}-\\d\\d-\\d\\d`),
  // Go, mark3labs
  /server-initiated requests are not supported in protocol version \d{4}-\d\d-\d\d or later/,
  // Python, and FastMCP, which is built on it
  new RegExp(`Cannot send ${pushed}: this transport context has no back-channel for server-initiated requests`),
  // Rust
  /SEP-2260: server-to-client requests must be associated with an originating client request/,
];

/** The error messages on an older connection. SDKs that are not listed translate `input_required`. */
const inputRefusals: readonly RegExp[] = [
  // Rust
  /InputRequiredResult requires negotiated protocol version \d{4}-\d\d-\d\d or newer/,
  // Python
  /^Handler returned an invalid result$/,
];

/** Only the first characters of a message are searched. */
const maxErrorLength = 2_000;

/** True when the outcome shows that the tool cannot be served in this era and its server may have another one. */
export function isEraRefused({ request, target }: ForwardedCall, outcome: unknown): boolean {
  const { legacyEra, isLegacyEra } = target.sessions;
  if ((!legacyEra && !isLegacyEra) || request.method !== method.callTool) return false;
  // A message that is relayed has no meaning in another revision.
  if (target.revision !== undefined) return false;
  if (isLegacyEra && hasNotBegun(outcome)) return true;
  const found = isLegacyEra
    ? refusalIn(inputRefusals, errorTextOf(outcome))
    : refusalIn(pushRefusals, errorTextOf(outcome) ?? textOf(outcome as Result));
  // A tool that only repeats its arguments has not refused anything.
  return found !== undefined && !JSON.stringify(request.params.arguments ?? {}).includes(escaped(found));
}

/** A tool that runs only as a task did not start. The newer era has tasks for every caller. */
function hasNotBegun(outcome: unknown): boolean {
  return isMcpError(outcome) && outcome.code === errorCode.methodNotFound;
}

/** Whether the call may safely run in the other era at once. */
export function mayRunAgain({ target }: ForwardedCall, outcome: unknown): boolean {
  return target.isIdempotent === true || hasNotBegun(outcome);
}

function refusalIn(refusals: readonly RegExp[], text: string | undefined): string | undefined {
  const start = text?.slice(0, maxErrorLength);
  for (const refusal of start ? refusals : []) {
    const found = refusal.exec(start as string);
    if (found) return found[0];
  }
  return undefined;
}

function errorTextOf(outcome: unknown): string | undefined {
  return isMcpError(outcome) && outcome.code !== errorCode.invalidParams ? outcome.message : undefined;
}

/** Some tools catch the error and return it as a result with a single text. */
function textOf({ content }: Result): string | undefined {
  if (!Array.isArray(content) || content.length !== 1) return undefined;
  const [only] = content as unknown[];
  return isJsonObject(only) && typeof only.text === "string" ? only.text : undefined;
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The sessions of the other era, which serve this tool from now on. Undefined when the tool cannot move. */
export async function switchEra({ target }: ForwardedCall): Promise<UpstreamSessions | undefined> {
  const { sessions, params } = target;
  const tool = String(params?.name);
  // A session handle names a session of the era in which it began.
  const isBound = sessions.affinity === "handle";
  if (sessions.newerEra) {
    const newer = isBound ? undefined : sessions.newerEra();
    newer?.legacyEra?.learn(tool, "modern");
    return newer;
  }
  const older = isBound ? undefined : await sessions.legacyEra?.open(sessions);
  if (older) sessions.legacyEra?.learn(tool, "legacy");
  else sessions.legacyEra?.miss(tool);
  return older;
}

export function eraSwitched({ target }: ForwardedCall): McpError {
  const { name, isLegacyEra } = target.sessions;
  const other = isLegacyEra ? `revision ${modelRevision}` : "an older revision";
  const what =
    `serves this tool on a connection of ${other} only, which the next call uses. This call was not run again: ` +
    "it may have been carried out in part";
  return upstreamError(name, "era_switched", what);
}

/** Remembers a tool that returned `input_required`: it may not be able to on an older connection. */
export function noteInputRequired({ target, request }: ForwardedCall, { connection }: Session): void {
  if (!connection || connection.traits.hasServerRequests || request.method !== method.callTool) return;
  if (target.revision !== undefined) return;
  target.sessions.legacyEra?.learn(String(target.params?.name), "modern");
}
