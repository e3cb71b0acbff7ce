import { expect, it } from "vitest";
import { toLocalHaproxy } from "./haproxy-configuration.ts";

const document = `text
\`\`\`haproxy
frontend callers
  bind :80
backend lethe
  server a 10.0.0.1:3000
  server b 10.0.0.2:3000
\`\`\`
`;

it("toLocalHaproxy replaces the documented addresses", () => {
  expect(toLocalHaproxy(["nothing", document], 8080, [1, 2])).toBe(`frontend callers
  bind 127.0.0.1:8080
backend lethe
  server a 127.0.0.1:1
  server b 127.0.0.1:2
`);
});

it("toLocalHaproxy returns undefined for documents without HAProxy", () => {
  expect(toLocalHaproxy(["nothing"], 8080, [1, 2])).toBeUndefined();
});
