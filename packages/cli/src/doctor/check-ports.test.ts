// What doctor finds about the port for direct connections between replicas.
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { checkPorts } from "./check-ports.ts";

const settingsOf = (listen: string) => ({ port: 0, redis: { url: "redis://h", direct: { listen } } });

it("warns of a port for direct connections in use, and sends nothing to it", async () => {
  let connections = 0;
  const server = createServer(() => {
    connections += 1;
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const [, finding] = await checkPorts(settingsOf(`127.0.0.1:${port}`));
  expect(finding).toMatchObject({
    level: "warning",
    text: `cannot listen on port ${port} of 127.0.0.1: the port is in use`,
    remedy: expect.stringMatching(/^none, if it is the gateway of this configuration.*gateway\.redis\.direct\.listen$/),
  });
  expect(connections).toBe(0);
  server.close();
});

it("reports a problem if direct connections have the port of the gateway", async () => {
  const findings = await checkPorts({ ...settingsOf("127.0.0.1:7411"), port: 7411 });
  expect(findings).toMatchObject([{ level: "problem", text: expect.stringContaining("must have another port") }]);
});

it("reports a problem if a port for direct connections is at an address of another machine", async () => {
  const [, finding] = await checkPorts(settingsOf("192.0.2.1:7411"));
  expect(finding).toMatchObject({ level: "problem", text: expect.stringContaining("EADDRNOTAVAIL") });
});
