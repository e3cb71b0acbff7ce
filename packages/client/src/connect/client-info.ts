// What a client says it is when nobody says otherwise.
import type { Implementation } from "@lethe/protocol";

export const defaultClientInfo: Implementation = { name: "@lethe/client", version: "0.1.0" };
