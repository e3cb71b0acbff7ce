// The YAML parser, loaded by the first SKILL.md, because few servers have skills.
import type { YamlParser } from "@lethe/protocol/skills";

export async function parseYaml(): Promise<YamlParser> {
  return (await import("yaml")).parse;
}
