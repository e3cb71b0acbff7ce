// The entry point @lethe/server/testing. Its code is the private package @lethe/testing, because it needs a client.
export * from "@lethe/testing";
