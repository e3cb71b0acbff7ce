// Contender: the official SDK v2 over HTTP, as documented.
import { createServer } from "./official-v2.ts";
import { serveOfficialV2 } from "./official-v2-serve.ts";

serveOfficialV2(createServer);
