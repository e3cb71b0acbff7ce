// The variations of the Helm chart that its values describe.

export interface ChartValues {
  readonly [value: string]: unknown;
}

interface Variation {
  readonly name: string;
  readonly values: ChartValues;
  /** The kinds of all manifests. */
  readonly kinds: readonly string[];
}

/** What the chart has no default for. */
export const required = {
  config: { mcpServers: { memory: { url: "http://memory.default.svc/mcp" } } },
  secret: { values: { LETHE_KEYS: "k1:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE" } },
} as const;

const usual = ["ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget", "Secret", "Service", "Service"];

function vary(name: string, changes: ChartValues, more: readonly string[] = []): Variation {
  return { name, values: { ...required, ...changes }, kinds: [...usual, ...more] };
}

export const variations: readonly Variation[] = [
  vary("default values", {}),
  vary("a Redis that replicas share", {
    secret: { values: { ...required.secret.values, LETHE_REDIS_URL: "rediss://lethe:word@redis.default.svc:6379" } },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.monitoring.svc:4318" },
  }),
  {
    name: "a secret that exists",
    values: { config: required.config, secret: { existing: "lethe-keys" } },
    kinds: usual.filter((kind) => kind !== "Secret"),
  },
  vary("an autoscaler", { autoscaling: { enabled: true, minReplicas: 2, maxReplicas: 5 } }, [
    "HorizontalPodAutoscaler",
  ]),
  vary(
    "an ingress with TLS, and a load balancer",
    {
      ingress: { enabled: true, className: "nginx", tlsSecret: "mcp-tls", annotations: { "example.com/size": "4m" } },
      service: { type: "LoadBalancer", annotations: { "example.com/internal": "true" } },
    },
    ["Ingress"],
  ),
  vary(
    "the Prometheus Operator and Grafana",
    {
      serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
      prometheusRule: { enabled: true, labels: { release: "prometheus" } },
      dashboard: { enabled: true },
    },
    ["ServiceMonitor", "PrometheusRule", "ConfigMap"],
  ),
  vary("a closed network", {
    networkPolicy: {
      callers: [{ podSelector: { matchLabels: { app: "agent" } } }],
      monitoring: [],
      egress: [{ ports: [{ port: 443 }] }],
    },
  }),
  {
    name: "neither a network policy nor a disruption budget",
    values: { ...required, networkPolicy: { enabled: false }, podDisruptionBudget: { enabled: false } },
    kinds: usual.filter((kind) => kind !== "NetworkPolicy" && kind !== "PodDisruptionBudget"),
  },
  vary("one replica on chosen nodes, from a private registry", {
    image: { repository: "registry.example/lethe", tag: "0.1.0-npx", pullPolicy: "Always" },
    imagePullSecrets: [{ name: "registry" }],
    replicas: 1,
    podAnnotations: { "example.com/team": "tools" },
    nodeSelector: { "kubernetes.io/arch": "amd64" },
    tolerations: [{ key: "dedicated", operator: "Exists", effect: "NoSchedule" }],
    state: { sizeLimit: "5Gi" },
  }),
];
