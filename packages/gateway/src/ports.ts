// The entry point @lethe/gateway/ports: whether the ports of a gateway differ and are free, without the gateway.

export { findPortConflict } from "./config/port-conflict.ts";
export { findPortProblem, type PortProblem } from "./operate/free-ports.ts";
