// Contender: the official SDK v2 over HTTP with its schemas moved out of the factory.
import { createServerHoisted } from "./official-v2.ts";
import { serveOfficialV2 } from "./official-v2-serve.ts";

serveOfficialV2(createServerHoisted);
