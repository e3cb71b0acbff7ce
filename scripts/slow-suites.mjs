// Test files that take a minute or more: npm run test:full runs them, and npm test does only when it is given their path.
export const slowSuites = [
  // Real load balancers and outages, in real time.
  "e2e/load-balancer/documented-balancers.test.ts",
  "e2e/load-balancer/redis-outages.test.ts",
  // Builds the server without the folder legacy/, and runs the unit tests of what is left.
  "e2e/server-legacy/without-legacy.test.ts",
  // 10,000 connections.
  "e2e/client-leaks/connects.test.ts",
];
