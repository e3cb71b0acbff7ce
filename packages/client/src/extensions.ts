// The entry point @lethe/client/extensions: extensions of the protocol for the option `extensions` of `connect`.

export type { ModernRequest, Resource, Result } from "@lethe/protocol";
export type { Skill, SkillResource } from "@lethe/protocol/skills";
export type { ClientExtension } from "./connect/client-extension.ts";
export { type App, type AppsApi, apps } from "./extensions/apps.ts";
export { type SkillFile, type SkillsApi, SkillVerificationError, skills } from "./extensions/skills.ts";
