// What a configuration comes to, as it is told to whoever may look over the operator's shoulder.
import type { GatewayConfig } from "@lethe/gateway";
import { expect, it } from "vitest";
import { createStyle } from "../terminal/style.ts";
import { toReport } from "./gateway-check.ts";

const style = createStyle({ isTTY: false });

function report(upstreams: GatewayConfig["upstreams"]): string {
  return toReport({ config: { upstreams }, notes: [], files: [], secrets: [] }, style);
}

it("names what each server is, without a value that may be a secret", () => {
  const env = { API_KEY: "hidden-in-env" };
  const headers = { Authorization: "Bearer hidden-in-a-header" };
  const url = "https://me:hidden-in-an-address@h.example/mcp?key=hidden-in-a-query";
  expect(
    report([
      { kind: "stdio", name: "local", command: "npx", args: ["--token", "hidden-in-an-argument"], env, cwd: "/x" },
      { kind: "stdio", name: "line", command: "npx server --token hidden-in-a-command", args: [], env: {} },
      { kind: "http", name: "remote", url, headers },
    ]),
  ).toBe(
    [
      "✓ local   npx and 2 arguments with API_KEY in /x",
      "✓ line    npx server --token ***",
      "✓ remote  https://***@h.example/mcp with Authorization",
      "",
    ].join("\n"),
  );
});
