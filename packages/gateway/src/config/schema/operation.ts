// The parts of the gateway block for operators: administration, the server card, and the store that replicas share.
import { findAddressProblem, findDirectProblems } from "@lethe/server/stores";
import { longText } from "./auth.ts";
import { defaultAddress, defaultExchanges } from "./defaults.ts";
import type {
  AdminSettings,
  CardSettings,
  ClientCertificateSettings,
  DirectSettings,
  PostgresSettings,
  RedisSettings,
} from "./settings.ts";
import { passwordsIn, postgresAddress, redisAddress, type StoreAddress } from "./store-address.ts";
import { flag, optional, required, secret, section, text, textLike, url, type Value, whole } from "./values.ts";

export const port: ReturnType<typeof whole> = whole(0, 65_535);

export const adminSettings: Value<AdminSettings> = section({
  key: optional(
    secret(longText),
    "The key for administration, of at least 16 characters. Absent: only requests from this machine are allowed.",
    { examples: ["${ADMIN_KEY}"] },
  ),
  port: optional(
    port,
    "A separate port for health, metrics and administration. 0 takes a free port. Default: the port of the endpoints.",
    { examples: [9_090] },
  ),
  host: optional(text, "The address of that port.", { default: defaultAddress.host }),
  publicMetrics: optional(flag, "Whether metrics need no key and are available from everywhere.", { default: false }),
  exchanges: optional(
    whole(0, 100_000),
    "The number of recent exchanges to keep: all of up to 20 a second, and a fair sample of more.",
    { default: defaultExchanges },
  ),
  bodies: optional(flag, "Whether params and results are kept as well, with secrets masked.", { default: false }),
})
  .superRefine(({ host, port: own }, context) => {
    if (host === undefined || own !== undefined) return;
    context.addIssue({ code: "custom", path: ["host"], message: "needs a port of its own beside it" });
  })
  .meta({
    id: "AdminSettings",
    description: "The administration interface. Default: on the port of the gateway, for requests from this machine.",
  });

const atMost100 = text.max(100, {
  error: ({ input }) => `must have at most 100 characters, got ${String(input).length}`,
});
const cardName = textLike(
  /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/,
  "a reversed domain and a name, such as com.example/tools",
);

export const cardSettings: Value<CardSettings> = section({
  name: optional(cardName, "A reversed domain and a name with one slash.", { examples: ["com.example/tools"] }),
  title: optional(atMost100, "The name for people, of at most 100 characters.", { examples: ["Tools"] }),
  description: optional(atMost100, "What the server is for, in at most 100 characters.", {
    examples: ["Tools of the sales team"],
  }),
  websiteUrl: optional(url, "A page about the server.", { examples: ["https://tools.example.com"] }),
}).meta({ id: "CardSettings", description: "The server card, which describes the gateway to clients." });

/** Editors check the pattern. `findAddressProblem` decides. */
const hostAndPort: Value<string> = text.meta({
  pattern: "^([\\w.-]{1,253}|\\[[\\da-fA-F:.]{2,45}\\]):(0|[1-9]\\d{0,4})$",
});
const redisUrl = addressOf(redisAddress);

const directSettings: Value<DirectSettings> = section({
  listen: required(
    hostAndPort,
    '"host:port" to listen on. With port 0 the system chooses one, which `workers` need: each worker has its own.',
    { examples: ["0.0.0.0:7411"] },
  ),
  address: optional(
    hostAndPort,
    '"host:port" at which other replicas connect. Default: as `listen`, by the local address of the connection to Redis.',
    { examples: ["${POD_IP}:7411", "[${POD_IP}]:7411"] },
  ),
})
  .superRefine(({ listen, address }, context) => {
    for (const [key, message] of findDirectProblems(listen, address)) {
      context.addIssue({ code: "custom", path: [key], message });
    }
  })
  .meta({
    id: "DirectSettings",
    description: "Direct connections between replicas. Replicas that cannot reach each other use Redis.",
  });

const clientCertificate: Value<ClientCertificateSettings> = section({
  certFile: required(text, "A PEM file with the certificate, relative to the folder of the configuration.", {
    examples: ["redis-client.crt"],
  }),
  keyFile: required(text, "A PEM file with its private key, without a password.", { examples: ["redis-client.key"] }),
}).meta({
  id: "ClientCertificateSettings",
  description:
    "The certificate by which Redis knows the gateway. The files are read for each connection, so that another program can renew them.",
});

const prefix = textLike(/^\S{1,64}$/, "1 to 64 characters without spaces");

export const redisSettings: Value<RedisSettings> = section({
  url: required(
    redisUrl,
    "One server: `redis://USER:PASSWORD@HOST:6379/DATABASE`. Sentinels: `redis+sentinel://USER:PASSWORD@HOST:26379,HOST:26379/PRIMARY/DATABASE`, with `?sentinelUser=…&sentinelPassword=…` where they have an account. A Cluster: `redis+cluster://USER:PASSWORD@HOST:6379,HOST:6379`. With TLS: `rediss`.",
    {
      examples: [
        "rediss://lethe:${REDIS_PASSWORD}@redis.example.com:6379",
        "rediss+cluster://lethe:${REDIS_PASSWORD}@one.example.com:6379,two.example.com:6379",
      ],
    },
  ),
  prefix: optional(prefix, "The prefix of every key and channel.", { default: "lethe:" }),
  clientCertificate: optional(
    clientCertificate,
    "The certificate of the gateway, which a Redis with TLS requires unless its `tls-auth-clients` is `no` or `optional`. Absent: none.",
  ),
  address: optional(
    hostAndPort.refine((given) => findAddressProblem(given, 1) === undefined, {
      error: ({ input }) => findAddressProblem(String(input), 1),
    }),
    '"host:port" at which other replicas reach this one. Default: `host` and `port`, by the local address of the connection to Redis.',
    { examples: ["10.0.0.5:3000"] },
  ),
  direct: optional(
    directSettings,
    "Where this replica accepts direct connections of others, which then carry what replicas forward to each other, encrypted with the keys of the deployment. Absent: Redis carries it.",
  ),
  allowEviction: optional(flag, "Whether to start with a Redis that may evict keys.", { default: false }),
  leaseMs: optional(
    whole(1_000, 60_000),
    "How long a replica that stands still or is cut off from Redis keeps its sessions, in ms.",
    { default: 2_500 },
  ),
  commandTimeoutMs: optional(whole(200, 60_000), "Timeout of one command to Redis, in ms.", { default: 5_000 }),
})
  .refine(({ url, clientCertificate }) => clientCertificate === undefined || url.startsWith("rediss"), {
    error: 'needs TLS; write "rediss" instead of "redis" in "url"',
    path: ["clientCertificate"],
  })
  .meta({
    id: "RedisSettings",
    description: "The Redis server that replicas of a gateway share. Absent: no replicas.",
  });

const postgresUrl = addressOf(postgresAddress);

export const postgresSettings: Value<PostgresSettings> = section({
  url: required(
    postgresUrl,
    "`postgres://USER:PASSWORD@HOST:5432/DATABASE`. `?sslmode=verify-full` requires TLS and a certificate for the host. It must lead to the primary, and not through a pooler in transaction mode.",
    { examples: ["postgres://lethe:${POSTGRES_PASSWORD}@postgres.example.com:5432/lethe?sslmode=verify-full"] },
  ),
  prefix: optional(prefix, "The prefix of every row and channel, which separates installations in one database.", {
    default: "lethe:",
  }),
  maxConnections: optional(
    whole(2, 1_000),
    "Connections of each replica for statements, at a time. One more is for messages.",
    { default: 10 },
  ),
  leaseMs: optional(
    whole(1_000, 60_000),
    "How long a replica that was killed, stands still or is cut off from PostgreSQL keeps its sessions, in ms.",
    { default: 5_000 },
  ),
  commandTimeoutMs: optional(whole(200, 60_000), "Timeout of one statement, in ms.", { default: 5_000 }),
}).meta({
  id: "PostgresSettings",
  description: "The PostgreSQL database that replicas of a gateway share, instead of Redis. Absent: no database.",
});

function addressOf({ isValid, problemOf }: StoreAddress): Value<string> {
  return secret(text.refine(isValid, { error: ({ input }) => problemOf(String(input)) }), passwordsIn);
}
