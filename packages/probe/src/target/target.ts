// The target of a probe: a URL or a command, and the operator's statement about it.
import type { KnownOptions } from "@lethe/protocol";

/** A server to probe by URL. */
export interface HttpTarget {
  /** The name in a configuration file, if the target comes from one. */
  readonly name?: string;
  readonly url: string;
  /** Sent with every request. Reports mask their values. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly stated?: Statement;
  /** Additional texts that reports mask. */
  readonly secrets?: readonly string[];
}

/** A command to probe on stdio. The probe starts and ends its processes. */
export interface CommandTarget {
  readonly name?: string;
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the minimal environment of the process. Reports mask the values. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stated?: Statement;
  /** Additional texts that reports mask. */
  readonly secrets?: readonly string[];
}

/** The operator's statement in the configuration. The method `auto` uses it instead of probing. */
export type Statement = "stateless" | "stateful";

/** A server to probe: a URL or a command. */
export type ProbeTarget = HttpTarget | CommandTarget;

export const knownProbeTarget: KnownOptions<ProbeTarget> = {
  name: true,
  url: true,
  headers: true,
  command: true,
  args: true,
  env: true,
  cwd: true,
  stated: true,
  secrets: true,
};

/** Whether a target is a URL. */
export function isHttpTarget(target: ProbeTarget): target is HttpTarget {
  return "url" in target;
}

/** Parses the URL of a target. Throws an Error that states the problem. */
export function parseAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new Error(`a target must be an http or https URL, got ${JSON.stringify(text)}`);
}
