// The names of the transports.

/** "http-sse" is the HTTP+SSE transport of 2024-11-05. */
export type HttpTransportName = "streamable-http" | "http-sse";

/** The name of a transport in options, reports and logs. */
export type TransportName = "stdio" | HttpTransportName;
