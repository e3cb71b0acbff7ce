// SKILL.md: the YAML at its beginning, and the instructions after it.
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

/** A SKILL.md. */
export interface SkillMarkdown {
  /** The YAML as JSON. */
  readonly frontmatter: JsonObject;
  /** The Markdown after it. */
  readonly body: string;
}

/** The maximum length of the YAML, in characters. */
const maxFrontmatterLength = 65_536;

/** `parse` of the package "yaml", which this package does not depend on. */
export type YamlParser = (text: string, options: YamlOptions) => unknown;

/** Options of the package "yaml": YAML 1.2 without types of its own, so that every value has one form in JSON. */
interface YamlOptions {
  readonly version: "1.2";
  readonly schema: "core";
  /** The maximum number of values that aliases may stand for. */
  readonly maxAliasCount: number;
  readonly logLevel: "error";
}

const yamlOptions: YamlOptions = { version: "1.2", schema: "core", maxAliasCount: 100, logLevel: "error" };

/** Throws an Error that says what is wrong. */
export function readSkillMarkdown(text: string, parse: YamlParser): SkillMarkdown {
  const [, yaml, body = ""] =
    /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text) ?? [];
  if (yaml === undefined) throw new Error('SKILL.md: YAML between two lines of "---" expected at the beginning');
  if (yaml.length > maxFrontmatterLength)
    throw new Error(`SKILL.md: at most ${maxFrontmatterLength} characters of YAML expected, got ${yaml.length}`);
  let parsed: unknown;
  try {
    parsed = parse(yaml, yamlOptions);
  } catch (cause) {
    throw new Error(`SKILL.md: ${(cause as Error).message}`, { cause });
  }
  const frontmatter: unknown = parsed === undefined ? undefined : JSON.parse(JSON.stringify(parsed));
  if (!isJsonObject(frontmatter)) throw new Error("SKILL.md: a mapping expected as YAML at the beginning");
  return { frontmatter, body };
}

/** Returns the path of the first member that differs, such as `metadata.version`. Undefined for equal values. */
export function frontmatterDifference(one: unknown, other: unknown, path = "frontmatter"): string | undefined {
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length !== other.length) return path;
    return first(one.keys(), (index) => frontmatterDifference(one[index], other[index], `${path}[${index}]`));
  }
  if (isJsonObject(one) && isJsonObject(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return first(names, (name) => {
      if (!Object.hasOwn(one, name) || !Object.hasOwn(other, name)) return `${path}.${name}`;
      return frontmatterDifference(one[name], other[name], `${path}.${name}`);
    });
  }
  return one === other ? undefined : path;
}

function first<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
