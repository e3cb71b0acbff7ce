// The entry point @lethe/gateway/watch: notices changed files, without the gateway.

export { type FileWatch, type WatchFilesOptions, watchFiles } from "./config/watch-files.ts";
