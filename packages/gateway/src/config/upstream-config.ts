// How one upstream server is reached, whatever file it was written in.

export interface StdioUpstream {
  kind: "stdio";
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Absolute, or relative to the gateway's own working directory. */
  cwd?: string;
}

export interface HttpUpstream {
  kind: "http";
  name: string;
  url: string;
  headers: Record<string, string>;
}

export type UpstreamConfig = StdioUpstream | HttpUpstream;

export interface GatewayConfig {
  /** In the order of the file: it is the order of the merged lists. */
  upstreams: UpstreamConfig[];
}
