// Contender: the official SDK v1 over stdio.
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createServer } from "./official-v1.ts";

await createServer().connect(new StdioServerTransport());
