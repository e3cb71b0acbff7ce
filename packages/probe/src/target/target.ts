// What is probed: an address or a command, and what its owner says about it.

export interface HttpTarget {
  /** The name in the owner's configuration, when the target comes from one. */
  readonly name?: string;
  readonly url: string;
  /** Sent with every request; their values are masked in reports. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly stated?: Statement;
  /** Further texts that no report may show. */
  readonly secrets?: readonly string[];
}

export interface CommandTarget {
  readonly name?: string;
  readonly command: string;
  readonly args?: readonly string[];
  /** Joins the small environment that every server gets; values are masked in reports. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stated?: Statement;
  /** Further texts that no report may show. */
  readonly secrets?: readonly string[];
}

/** The operator's own word, from the configuration. It wins over everything that cheap methods and `auto` would find. */
export type Statement = "stateless" | "stateful";

export type ProbeTarget = HttpTarget | CommandTarget;

export function isHttpTarget(target: ProbeTarget): target is HttpTarget {
  return "url" in target;
}

/** Throws an Error that names what is wrong with it. */
export function parseAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new Error(`a target must be an http or https URL, got ${JSON.stringify(text)}`);
}
