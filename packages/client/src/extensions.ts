// The entry point @lethe/client/extensions: extensions of the protocol for the option `extensions` of `connect`.

export type { ModernRequest, Result } from "@lethe/protocol";
export type { ClientExtension } from "./connect/client-extension.ts";
export { type App, type AppsApi, apps } from "./extensions/apps.ts";
