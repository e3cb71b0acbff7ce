// What a gateway prints when it is up: where it is, what it offers, and something to try.
import type { ServedGateway } from "@lethe/gateway";
import type { Style } from "../terminal/style.ts";

export function toGatewayBanner({ gateway, url, adminUrl }: ServedGateway, style: Style): string {
  const names = gateway.upstreams.map(({ name }) => `  ${url}/${name}`).join("\n");
  return `
${toHead(url, gateway.catalog.current, style)}
${names}
${style.dim(`Operators: ${adminUrl}`)}

Try:
${toTries(url, gateway.catalog.current)}

Ctrl-C stops it.
`;
}

export function toWrapBanner({ gateway, url }: ServedGateway, style: Style): string {
  return `
${toHead(url, gateway.catalog.current, style)}

Try:
${toTries(url, gateway.catalog.current)}

Ctrl-C stops it.
`;
}

type Offer = ServedGateway["gateway"]["catalog"]["current"];

function toHead(url: string, { tools, resources, prompts }: Offer, style: Style): string {
  return `${style.bold(`Listening on ${url}`)}  ${tools.length} tools, ${resources.length} resources, ${prompts.length} prompts`;
}

function toTries(url: string, { tools }: Offer): string {
  const tool = tools.find(({ name }) => /(?:^|__)echo$/.test(name))?.name ?? tools[0]?.name ?? "TOOL";
  return `  npx lethe call ${url} ${tool} '{"message": "hello"}'\n\n  ${toCurl(url, tool)}`;
}

function toCurl(url: string, tool: string): string {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { name: tool, arguments: { message: "hello" }, _meta: meta };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return [
    `curl -s ${url}`,
    "-H 'Content-Type: application/json'",
    "-H 'Accept: application/json, text/event-stream'",
    "-H 'MCP-Protocol-Version: 2026-07-28'",
    "-H 'Mcp-Method: tools/call'",
    `-H 'Mcp-Name: ${tool}'`,
    `-d '${body}'`,
  ].join(" \\\n    ");
}
