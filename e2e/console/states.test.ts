// What the console shows when there is nothing to show, not yet, not for this page, or no gateway.
import { expect, it } from "vitest";
import { startGateway } from "../processes/lethe.ts";
import { openPage, violationsOf } from "./testing/browser.ts";
import { useConsole, waitMs } from "./testing/console-page.ts";
import { memory, startOwnGateway } from "./testing/own-gateway.ts";

let config: string;
const fleet = useConsole(async () => {
  const gateway = await startOwnGateway({ mcpServers: { memory } });
  config = gateway.config;
  return gateway;
});

it.each([
  ["/live", "No requests yet"],
  ["/activity?tab=pending", "No call waits for input"],
  ["/activity?tab=tasks", "No tasks"],
  ["/upstreams/nothing", "No upstream “nothing”"],
  ["/live/0-1", "This request is not kept any more"],
])("says that there is nothing at %s", async (path, heading) => {
  const { page, open } = fleet;
  await open(path);
  await page.getByRole("heading", { name: heading }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

it("shows that it loads until the gateway has answered", async () => {
  const { page, open } = fleet;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/admin/v1/upstreams/memory**", async (route) => {
    await released;
    await route.continue();
  });
  await open("/upstreams/memory");
  await page.getByRole("status", { name: "Reading memory" }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  release();
  await page.getByRole("heading", { name: "Verdict" }).waitFor();
  await page.getByRole("status", { name: /^Reading/ }).waitFor({ state: "detached" });
});

it("says that the gateway denies access, and how to get it", async () => {
  const { page, open } = fleet;
  // As if a proxy had forwarded the requests.
  await page.route("**/admin/**", (route) =>
    route.continue({ headers: { ...route.request().headers(), "x-forwarded-for": "203.0.113.7" } }),
  );
  await open("/");
  await page.getByRole("heading", { name: "The gateway does not allow this page" }).waitFor();
  await page.getByText("gateway.admin.key").first().waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

it("says that the gateway is gone, and continues when it is back", async () => {
  const own = await startGateway(config);
  const { origin, port } = new URL(own.url);
  const { page } = await openPage(fleet.browser, origin);
  await page.goto(`${origin}/console/`);
  await page.getByRole("table").getByRole("link", { name: "memory" }).waitFor();
  await own.stop();
  await page.getByRole("alert").getByText("Not live").waitFor();
  expect(await violationsOf(page)).toEqual([]);
  const again = await startGateway(config, "--port", port);
  await page.getByRole("status").getByText("Live").waitFor({ timeout: waitMs });
  await page.getByRole("alert").waitFor({ state: "detached" });
  await page.context().close();
  await again.stop();
});
