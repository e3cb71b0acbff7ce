// Entry point of @lethe/dev: runs the server of an author, and reloads its code when it changes.

export type { Place, Problem } from "./bundle/problem.ts";
export type { ListKind } from "./channel/runner-messages.ts";
export type { CallOutcome, CallReport } from "./front/call-report.ts";
export type { DevEvent } from "./reload/dev-event.ts";
export type { DevOptions } from "./reload/dev-options.ts";
export { type DevServer, startDev } from "./reload/dev-server.ts";
