// Contender: the official SDK v2 over stdio, as documented.
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createServer } from "./official-v2.ts";

void serveStdio(createServer);
