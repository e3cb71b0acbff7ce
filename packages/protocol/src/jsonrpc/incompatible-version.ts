// The error for a pending call whose handler has another version now.
import { McpError } from "./error.ts";

/** Undefined: the handler declared no version. */
interface Versions {
  readonly startedVersion: string | undefined;
  readonly currentVersion: string | undefined;
}

const reason = "incompatible_version";

/** McpError with `data.reason` "incompatible_version". `place` names the call, such as "tools/call book". */
export function incompatibleVersion(
  code: number,
  place: string,
  { startedVersion, currentVersion }: Versions,
): McpError {
  const started = startedVersion === undefined ? "without a version" : `in version ${JSON.stringify(startedVersion)}`;
  const current =
    currentVersion === undefined
      ? "its handler has no version now"
      : `its handler is now ${JSON.stringify(currentVersion)}`;
  const message = `${place} started ${started}, and ${current}, which does not continue such calls: start the call again`;
  const data = { reason, startedVersion: startedVersion ?? null, currentVersion: currentVersion ?? null };
  return new McpError(code, message, { data });
}

/**
 * The version in which a pending call started, and the version of its handler that refused to continue it. Undefined for every
 * error but this one; a version is undefined if the handler declared none. Start the call again, without its `requestState` or task.
 *
 * @example
 * import { incompatibleVersionOf, McpError } from "@lethe/server";
 *
 * const data = { reason: "incompatible_version", startedVersion: "1", currentVersion: "2" };
 * console.log(incompatibleVersionOf(new McpError(-32602, "…", { data }))); // { startedVersion: '1', currentVersion: '2' }
 */
export function incompatibleVersionOf(
  error: unknown,
): { startedVersion: string | undefined; currentVersion: string | undefined } | undefined {
  const data = (error as { data?: unknown } | null | undefined)?.data as
    | { readonly [member: string]: unknown }
    | null
    | undefined;
  if (data?.reason !== reason) return undefined;
  return { startedVersion: toVersion(data.startedVersion), currentVersion: toVersion(data.currentVersion) };
}

/** The data of an error comes from a peer. */
function toVersion(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
