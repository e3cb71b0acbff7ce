// The entry point lethe/compare: records what crosses the wire over each transport of a server.
export * from "@lethe/compare";
