import { expect, it } from "vitest";
import { chooseBlock, withPorts } from "./nginx-configuration.ts";

const withHash = `upstream lethe {
  hash $http_authorization consistent;       # not with Redis
  server 10.0.0.1:3000 max_fails=0;          # a comment;
  server 10.0.0.2:3000 max_fails=0;
  keepalive 32;
}
server {
  listen 80;
}
`;

it("withPorts replaces the documented servers and keeps their flags", () => {
  expect(withPorts(withHash, 8080, [1, 2, 3])).toBe(`upstream lethe {
  server 127.0.0.1:1 max_fails=0;
  server 127.0.0.1:2 max_fails=0;
  server 127.0.0.1:3 max_fails=0;
  hash $http_authorization consistent;       # not with Redis
  keepalive 32;
}
server {
  listen 127.0.0.1:8080;
}
`);
});

it("chooseBlock removes the hash line of a block for replicas without Redis", () => {
  const document = `text\n\`\`\`nginx\n${withHash}\`\`\`\n`;
  expect(chooseBlock([document])).toBe(withHash.replace(/ {2}hash.*\n/, ""));
});

it("chooseBlock prefers a block for replicas that share Redis", () => {
  const own = withHash.replace(/ {2}hash.*\n/, "").replaceAll("max_fails=0", "max_fails=1");
  const document = `\`\`\`nginx\n${withHash}\`\`\`\ntext\n\`\`\`nginx\n${own}\`\`\`\n`;
  expect(chooseBlock(["nothing", document])).toBe(own);
});
