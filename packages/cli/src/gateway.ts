// The entry point lethe/gateway: many MCP servers behind one stateless endpoint.
export * from "@lethe/gateway";
