// The functions of Lethe that the runner replaces in the author's program.

/** Names by module. */
export const replaced: Readonly<Record<string, readonly string[]>> = {
  "@lethe/server": ["createServer"],
  "@lethe/server/node": ["serve", "serveStdio"],
};

/** The runner puts the replacements at `Symbol.for` of this name of globalThis. */
export const replacementsSymbol = "lethe.dev";
