// The entry point @lethe/gateway/ports: whether the ports of a gateway are free, without the gateway.

export { findPortProblem, type PortProblem } from "./operate/free-ports.ts";
