// Named endpoints in the console: listed in the fleet, and chosen in the playground.
import { expect, it } from "vitest";
import { violationsOf } from "./testing/browser.ts";
import { useConsole } from "./testing/console-page.ts";
import { memory, startOwnGateway } from "./testing/own-gateway.ts";
import { callButton, results } from "./testing/playground.ts";

const graphs = { upstreams: ["memory"], tools: { allow: ["read_*"] }, policy: [{ effect: "allow", methods: ["*"] }] };
const fleet = useConsole(() =>
  startOwnGateway({ mcpServers: { memory, other: memory }, gateway: { endpoints: { graphs } } }),
);

it("lists each endpoint with its URL, upstreams, tools and policy, and opens the playground on it", async () => {
  const { page, open, origin } = fleet;
  await open("/");
  const row = page.getByRole("region", { name: "Endpoints" }).getByRole("row").filter({ hasText: "graphs" });
  await row.getByText(`${origin}/mcp/graphs`).waitFor();
  await row.getByRole("link", { name: "memory" }).waitFor();
  await row.getByText("only read_*").waitFor();
  await row.getByText("allow · methods *").waitFor();
  expect(await violationsOf(page)).toEqual([]);

  await row.getByRole("link", { name: "graphs" }).click();
  await page.getByRole("button", { name: /memory__read_graph/ }).click();
  expect(await page.getByRole("button", { name: /__create_entities/ }).count()).toBe(0);
  await callButton(page).click();
  await results(page).getByText("complete", { exact: true }).waitFor();
  expect(await violationsOf(page)).toEqual([]);

  await page.getByRole("combobox", { name: /^Endpoint/ }).selectOption({ label: "all upstreams" });
  await page.getByRole("button", { name: /other__create_entities/ }).waitFor();
});
