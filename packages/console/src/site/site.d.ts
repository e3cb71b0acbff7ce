// The built files of the console, as scripts/build-console.mjs writes them to site/site.js.

/** A file of the console. */
export interface SiteFile {
  readonly type: string;
  /** Names this content, for ETag. */
  readonly tag: string;
  /** The content, compressed with gzip, in base64. */
  readonly gzip: string;
}

/** Maps paths below the console's own, such as `assets/main.js`, to files. */
export const files: Readonly<Record<string, SiteFile>>;
