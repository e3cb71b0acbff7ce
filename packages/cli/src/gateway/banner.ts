// What a gateway prints when it is up: where it is, what it offers, what its servers are, and something to try.
import type { ServedGateway } from "@lethe/gateway";
import type { Style } from "../terminal/style.ts";
import { type ExampleCall, toExampleCall } from "./example-call.ts";
import { toVerdictTable, toWarnings } from "./verdict-table.ts";

export function toGatewayBanner({ gateway, url, adminUrl, view }: ServedGateway, style: Style): string {
  return `
${toHead(url, gateway.catalog.current, style)}

${toVerdictTable(view().upstreams, style)}
${style.dim(`One server alone: ${url}/NAME\nOperators: ${adminUrl}`)}
${toTries(url, gateway.catalog.current)}
Ctrl-C stops it.
`;
}

export function toWrapBanner({ gateway, url, view }: ServedGateway, style: Style): string {
  const warnings = toWarnings(view().upstreams).map((warning) => `\n${style.yellow("!")} ${warning}`);
  return `
${toHead(url, gateway.catalog.current, style)}${warnings.join("")}
${toTries(url, gateway.catalog.current)}
Ctrl-C stops it.
`;
}

type Offer = ServedGateway["gateway"]["catalog"]["current"];

function toHead(url: string, { tools, resources, prompts }: Offer, style: Style): string {
  return `${style.bold(`Listening on ${url}`)}  ${tools.length} tools, ${resources.length} resources, ${prompts.length} prompts`;
}

function toTries(url: string, { tools }: Offer): string {
  const call = toExampleCall(tools);
  if (!call) return "";
  const given = inShell(JSON.stringify(call.arguments));
  return `\nTry:\n  npx lethe call ${url} ${call.name} ${given}\n\n  ${toCurl(url, call)}\n`;
}

function toCurl(url: string, call: ExampleCall): string {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...call, _meta: meta } });
  return [
    `curl -s ${url}`,
    "-H 'Content-Type: application/json'",
    "-H 'Accept: application/json, text/event-stream'",
    "-H 'MCP-Protocol-Version: 2026-07-28'",
    "-H 'Mcp-Method: tools/call'",
    `-H 'Mcp-Name: ${call.name}'`,
    `-d ${inShell(body)}`,
  ].join(" \\\n    ");
}

function inShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
