// What is printed at the start has to work when it is copied.
import type { GatewaySettings, ServedGateway } from "@lethe/gateway";
import { expect, it } from "vitest";
import { createStyle } from "../terminal/style.ts";
import { toGatewayBanner } from "./banner.ts";

/** As far as a banner looks at one. */
function bannerOf(settings: GatewaySettings, tools = 1): string {
  const current = { tools: Array(tools).fill({ name: "a__echo", inputSchema: {} }), resources: [{}], prompts: [] };
  const [url, adminUrl] = ["http://h/mcp", "http://h/admin"];
  const served = { url, adminUrl, view: () => ({ upstreams: [] }), gateway: { catalog: { current } } };
  return toGatewayBanner(served as unknown as ServedGateway, createStyle({ isTTY: false }), settings);
}

it("counts use the singular for one", () => {
  expect(bannerOf({})).toContain("Listening on http://h/mcp  1 tool, 1 resource, 0 prompts\n");
  expect(bannerOf({}, 2)).toContain("  2 tools, ");
});

it("the example call contains a key if the gateway requires one", () => {
  expect(bannerOf({})).not.toContain("KEY");
  const banner = bannerOf({ auth: { keys: [{ id: "ci", key: "hidden-0123456789", scopes: [] }] } });
  expect(banner).toContain("LETHE_TOKEN=KEY npx lethe call http://h/mcp a__echo ");
  expect(banner).toContain("-H 'Authorization: Bearer KEY' \\\n");
  expect(banner).not.toContain("hidden");
});

it("the banner states how operators authenticate", () => {
  expect(bannerOf({})).toContain("Operators, from this machine: http://h/admin\n");
  expect(bannerOf({ admin: { key: "hidden-0123456789" } })).toContain(
    "Operators, with the key of gateway.admin: http://h/admin\n",
  );
});
