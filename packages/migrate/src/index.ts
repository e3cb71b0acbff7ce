// Entry point of @lethe/migrate: rewrites the source of an MCP server to Lethe.

export { type MigrateOptions, type Migration, migrateSource } from "./migrate-source.ts";
export type { Finding } from "./source/source-file.ts";
