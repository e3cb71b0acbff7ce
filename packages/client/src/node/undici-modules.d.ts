// Types of the two modules of undici that are loaded on their own.

declare module "undici/lib/dispatcher/client.js" {
  // biome-ignore lint/style/noDefaultExport: CommonJS modules have a default export.
  export { Client as default } from "undici";
}

declare module "undici/lib/core/connect.js" {
  // biome-ignore lint/style/noDefaultExport: CommonJS modules have a default export.
  export { buildConnector as default } from "undici";
}
