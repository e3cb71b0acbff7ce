// Whether the ports of a gateway are free, before its servers start.
import { createServer } from "node:net";
import { defaultAddress } from "../config/schema/defaults.ts";
import type { GatewaySettings } from "../config/schema/settings.ts";

/** Rejects with an Error that names the port. */
export async function requireFreePorts({ host, port, admin }: GatewaySettings): Promise<void> {
  const problems = [await findPortProblem(port, host)];
  if (admin?.port !== undefined) problems.push(await findPortProblem(admin.port, admin.host));
  const found = problems.find((problem) => problem !== undefined);
  if (found !== undefined) throw new Error(found.text);
}

/** Why a process cannot listen on a port. */
export interface PortProblem {
  /** Whether another process listens there. */
  readonly isInUse: boolean;
  readonly text: string;
}

/** Listens on a port for a moment. Returns why that is not possible. Port 0 is always free. */
export async function findPortProblem(
  port: number = defaultAddress.port,
  host: string = defaultAddress.host,
): Promise<PortProblem | undefined> {
  const server = createServer();
  const outcome = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once("error", resolve);
    server.listen(port, host, () => resolve(undefined));
    // `listen` throws for a number that is no port.
  }).catch((error: NodeJS.ErrnoException) => error);
  if (outcome === undefined) {
    await new Promise((resolve) => server.close(resolve));
    return undefined;
  }
  const isInUse = outcome.code === "EADDRINUSE";
  const reason = isInUse ? "the port is in use" : outcome.message;
  return { isInUse, text: `cannot listen on port ${port} of ${host}: ${reason}` };
}
