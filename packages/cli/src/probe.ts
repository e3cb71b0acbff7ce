// The entry point lethe/probe: detects the eras, transport and sessions of a server, with evidence.
export * from "@lethe/probe";
