// Starts an HTTP contender on PORT (0 = any) and prints the port for the benchmark.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

export function portFromEnvironment(): number {
  return Number(process.env.PORT ?? 0);
}

export function announce(port: number): void {
  process.stdout.write(`listening ${port}\n`);
}

export function listen(server: Server): void {
  server.listen(portFromEnvironment(), "127.0.0.1", () => announce((server.address() as AddressInfo).port));
}
