// How to reach and use one upstream server, independent of the file it was configured in.
import type { MessageWire } from "@lethe/client/edge";
import type { HttpTransportName } from "@lethe/protocol";
import type { ApiSelection, GatewaySettings, SessionSettings, UpstreamPolicy } from "./schema/settings.ts";

export type Affinity = NonNullable<UpstreamPolicy["affinity"]>;
export type Sharing = NonNullable<UpstreamPolicy["sharing"]>;
export type SessionLimits = Omit<SessionSettings, "onLoss">;

/** An upstream that the gateway starts as a command. */
export interface StdioUpstream extends UpstreamPolicy {
  kind: "stdio";
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Absolute, or relative to the gateway's working directory. */
  cwd?: string;
}

/** An upstream that is reached by URL. */
export interface HttpUpstream extends UpstreamPolicy {
  kind: "http";
  name: string;
  url: string;
  headers: Record<string, string>;
  /** The transport in its file. Default: detected. */
  transport?: HttpTransportName;
}

/** An HTTP API whose operations are tools. Its sharing is always "shared", because its tools keep no state. */
export interface OpenApiUpstream extends UpstreamPolicy {
  kind: "openapi";
  name: string;
  /** The OpenAPI document: an http or https URL, or an absolute path. */
  document: string;
  /** The options of `openapi` of @lethe/openapi, as far as a file can state them. */
  api: {
    baseUrl?: string;
    include?: "all" | ApiSelection;
    exclude?: ApiSelection;
    deprecated?: boolean;
    outputSchemas?: boolean;
    auth?: Readonly<Record<string, string | { username: string; password: string }>>;
    maxOperations?: number;
    maxResponseBytes?: number;
    maxConcurrent?: number;
  };
}

/** A server in the gateway's own process. */
export interface MemoryUpstream extends UpstreamPolicy {
  kind: "memory";
  name: string;
  /** Connects another session. */
  open(): Promise<MessageWire>;
}

/** What a file can configure. */
export type FileUpstream = StdioUpstream | HttpUpstream | OpenApiUpstream;

/** An upstream by its transport: a URL, a command, or a server object in this process. */
export type UpstreamConfig = FileUpstream | MemoryUpstream;

/** What a gateway serves: its upstreams and its settings. */
export interface GatewayConfig<Upstream extends UpstreamConfig = UpstreamConfig> {
  /** In the order of the file, which is the order of the merged lists. */
  upstreams: readonly Upstream[];
  /** Default: all defaults. */
  settings?: GatewaySettings;
}
