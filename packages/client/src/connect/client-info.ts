// The default identity of a client.
import type { Implementation } from "@lethe/protocol";

export const defaultClientInfo: Implementation = { name: "@lethe/client", version: "0.1.0" };
