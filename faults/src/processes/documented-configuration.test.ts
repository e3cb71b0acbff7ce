import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { toLocalConfiguration } from "./documented-configuration.ts";

const nginx = `upstream lethe {
  hash $http_authorization consistent;
  server 10.0.0.1:3000 max_fails=0;          # a comment;
  server 10.0.0.2:3000 max_fails=0;
}
upstream any_lethe {
  server 10.0.0.1:3000;
  server 10.0.0.2:3000;
}
server {
  listen 80;
}
`;
const haproxy = `frontend callers
  bind :80
backend lethe
  server a 10.0.0.1:3000
  server b 10.0.0.2:3000
`;
const documents = ["nothing", `text\n\`\`\`nginx\n${nginx}\`\`\`\ntext\n\`\`\`haproxy\n${haproxy}\`\`\`\n`];

it("the local configuration of nginx has the addresses of the replicas in each upstream, and nothing else changes", () => {
  expect(toLocalConfiguration(documents, "nginx", { port: 8080, replicas: [1, 2] })).toBe(`upstream lethe {
  hash $http_authorization consistent;
  server 127.0.0.1:1 max_fails=0;          # a comment;
  server 127.0.0.1:2 max_fails=0;
}
upstream any_lethe {
  server 127.0.0.1:1;
  server 127.0.0.1:2;
}
server {
  listen 127.0.0.1:8080;
}
`);
});

it("the local configuration of HAProxy has the addresses of the replicas", () => {
  expect(toLocalConfiguration(documents, "haproxy", { port: 8080, replicas: [1, 2] })).toBe(`frontend callers
  bind 127.0.0.1:8080
backend lethe
  server a 127.0.0.1:1
  server b 127.0.0.1:2
`);
});

it("documents without a configuration give none", () => {
  expect(toLocalConfiguration(["nothing"], "haproxy", { port: 8080, replicas: [1, 2] })).toBeUndefined();
});

it.each(["nginx", "haproxy"] as const)(
  "no documented address is left in the %s configuration of this project",
  (kind) => {
    const docs = new URL("../../../docs/", import.meta.url);
    const pages = readdirSync(docs).filter((name) => name.endsWith(".md"));
    const own = pages.map((name) => readFileSync(new URL(name, docs), "utf8"));
    const configuration = toLocalConfiguration(own, kind, { port: 8080, replicas: [1, 2, 3] });
    expect(configuration).toContain("127.0.0.1:8080");
    expect(configuration).not.toMatch(/10\.0\.0\.|:80\b|:3000/);
  },
);
