// The door of @lethe/client: what every runtime can use. What needs Node is in @lethe/client/node.

export type { Connection, ConnectionEnd } from "./call/connection.ts";
export {
  isTransportError,
  TransportError,
  type TransportErrorOptions,
  type TransportErrorReason,
} from "./call/transport-error.ts";
