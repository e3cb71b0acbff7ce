// Every target, in the order of the table.
import type { Target } from "./run/target.ts";
import { clientHttpTarget } from "./targets/client-http.ts";
import { clientStdioTarget } from "./targets/client-stdio.ts";
import { growthTarget } from "./targets/growth.ts";
import { parserTargets } from "./targets/parsers.ts";
import { rawTargets } from "./targets/raw-http.ts";
import { serveStdioTarget } from "./targets/serve-stdio.ts";
import { serverFetchTarget } from "./targets/server-fetch.ts";
import { tokenTargets } from "./targets/tokens.ts";

export const targets: readonly Target[] = [
  ...parserTargets,
  ...tokenTargets,
  growthTarget,
  serverFetchTarget,
  serveStdioTarget,
  clientHttpTarget,
  clientStdioTarget,
  ...rawTargets,
];
