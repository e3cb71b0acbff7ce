// The entry point @lethe/server/extensions: extensions of the protocol for `server.use(…)`, and the types of `server.app(…)`.

export type { Exchange, ModernRequest, Result } from "@lethe/protocol";
export type { AppCsp, AppOptions, AppPermissions, AppResourceMeta } from "./apps/app-definition.ts";
export { apps } from "./apps.ts";
export { enterpriseManagedAuthorization, oauthClientCredentials } from "./authorization-extensions.ts";
export type { ExtensionCall, ExtensionHost, ServerExtension } from "./server-extension.ts";
export { type SkillsOptions, skills } from "./skills.ts";
