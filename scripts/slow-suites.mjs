// Test files that take half a minute or more and that a change rarely breaks: npm run test:full runs them, and npm test does only when it
// is given their path.
export const slowSuites = [
  // Real load balancers and outages, in real time.
  "e2e/load-balancer/documented-balancers.test.ts",
  "e2e/load-balancer/envoy-retries.test.ts",
  "e2e/load-balancer/affinity.test.ts",
  "e2e/load-balancer/direct-connections.test.ts",
  "e2e/load-balancer/moved-session.test.ts",
  "e2e/load-balancer/redis-outages.test.ts",
  "e2e/load-balancer/gateways.test.ts",
  "e2e/load-balancer/sharing-redis.test.ts",
  "e2e/load-balancer/lost-replica.test.ts",
  "e2e/load-balancer/rolling-restart.test.ts",
  "e2e/load-balancer/task-loss.test.ts",
  "packages/redis/src/share-by-redis.test.ts",
  "packages/redis/src/replicas/direct-connections.test.ts",
  // Failovers of a Redis Cluster and by Sentinels, under load.
  "packages/redis/src/failover.test.ts",
  // Failovers of PostgreSQL to a stand-by.
  "packages/postgres/src/failover.test.ts",
  // A restart of PostgreSQL during 200 running tasks.
  "packages/postgres/src/tasks/many-tasks-outage.test.ts",
  // Restarts, reloads and crashes of a gateway, in real time.
  "e2e/gateway/operations.test.ts",
  "e2e/gateway/moving-connections.test.ts",
  "e2e/gateway/workers.test.ts",
  "e2e/gateway/workers-and-redis.test.ts",
  "e2e/gateway/sharing-postgres.test.ts",
  // Redis that stands still for longer than a lease.
  "e2e/gateway/still-redis.test.ts",
  // Gateways and workers that fill up and stop.
  "e2e/gateway/placement.test.ts",
  // Redis, a Cluster and Sentinels over TLS.
  "e2e/gateway/redis-tls.test.ts",
  "e2e/server/workers.test.ts",
  // Thousands of calls, and of spellings of a URI.
  "e2e/gateway/many-calls.test.ts",
  "e2e/gateway/telemetry.test.ts",
  "e2e/gateway/uri-policy.test.ts",
  // Builds the server without the folder legacy/, and runs the unit tests of what is left.
  "e2e/server-legacy/without-legacy.test.ts",
  // 10,000 connections.
  "e2e/client-leaks/connects.test.ts",
  // Floods, oversized messages and stalled peers, each beside a good one.
  "e2e/hostile/hostile-http.test.ts",
  "e2e/hostile/hostile-stdio.test.ts",
  "e2e/gateway/fair-admission.test.ts",
  // Memory of whole processes under load.
  "e2e/memory/bounded-memory.test.ts",
  "e2e/server/memory.test.ts",
  // Published servers and clients, one process for each case.
  "e2e/compare/fastmcp.test.ts",
  "e2e/compare/foreign.test.ts",
  "e2e/extensions/extensions.test.ts",
  "e2e/gateway/every-tool.test.ts",
  "e2e/gateway/modern-upstreams.test.ts",
  "e2e/probe/published-http.test.ts",
  "e2e/server-legacy/real-clients.test.ts",
  // The console, apps and reports in a browser.
  "e2e/console/activity.test.ts",
  "e2e/console/apps.test.ts",
  "e2e/console/console-command.test.ts",
  "e2e/console/keyboard.test.ts",
  "e2e/console/leaving.test.ts",
  "e2e/console/left-sampling.test.ts",
  "e2e/console/pages.test.ts",
  "e2e/console/playground.test.ts",
  "e2e/console/replicas.test.ts",
  "e2e/console/states.test.ts",
  "e2e/gateway/apps.test.ts",
  "e2e/compare/command.test.ts",
  // Releases the packages and installs them with five package managers.
  "e2e/packages/published.test.ts",
  // Builds Helm and kubeconform, and renders the chart in every variation.
  "e2e/deploy/chart.test.ts",
  // Installs hadolint.
  "e2e/deploy/dockerfile.test.ts",
  // The topology of deploy/compose: three gateways, Redis, nginx and Prometheus.
  "e2e/deploy/topology.test.ts",
  // Builds the documentation site, with the reference of all types.
  "e2e/docs/site.test.ts",
  // Compiles programs with two versions of TypeScript.
  "e2e/types/types.test.ts",
];
