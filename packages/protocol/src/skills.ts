// The entry point @lethe/protocol/skills: the skills extension (SEP-2640), for servers, clients and gateways.

export { skillsExtension } from "./model/extensions.ts";
export {
  frontmatterDifference,
  readSkillMarkdown,
  type SkillMarkdown,
  type YamlParser,
} from "./model/skill-markdown.ts";
export {
  canonicalSkillUri,
  checkFrontmatter,
  directoryMimeType,
  maxSkillBytes,
  maxSkillFiles,
  parseSkill,
  type Skill,
  type SkillResource,
  skillDigestOf,
  skillRootOf,
} from "./model/skills.ts";
