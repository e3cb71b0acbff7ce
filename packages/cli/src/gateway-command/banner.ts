// The text that a gateway prints after its start: its URL, features, servers, and an example call.
import type { GatewaySettings, ServedGateway } from "@lethe/gateway";
import { metaKey, modelRevision } from "@lethe/protocol";
import { toPrintable } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";
import { type ExampleCall, toExampleCall } from "./example-call.ts";
import { toVerdictTable, toWarnings } from "./verdict-table.ts";

export function toGatewayBanner(served: ServedGateway, style: Style, { auth, admin }: GatewaySettings): string {
  const { gateway, url, adminUrl, view } = served;
  const operators = `Operators, ${admin?.key === undefined ? "from this machine" : "with the key of gateway.admin"}`;
  return `
${toHead(url, gateway.catalog.current, style)}

${toVerdictTable(view().upstreams, style)}
${style.dim(`One server alone: ${url}/NAME\n${operators}: ${adminUrl}`)}
${toTries(url, gateway.catalog.current, auth !== undefined)}
Ctrl-C stops it.
`;
}

export function toWrapBanner({ gateway, url, view }: ServedGateway, style: Style): string {
  const warnings = toWarnings(view().upstreams).map((warning) => `\n${style.yellow("!")} ${warning}`);
  return `
${toHead(url, gateway.catalog.current, style)}${warnings.join("")}
${toTries(url, gateway.catalog.current, false)}
Ctrl-C stops it.
`;
}

type Offer = ServedGateway["gateway"]["catalog"]["current"];

function toHead(url: string, { tools, resources, prompts }: Offer, style: Style): string {
  const counts = [counted(tools, "tool"), counted(resources, "resource"), counted(prompts, "prompt")];
  return `${style.bold(`Listening on ${url}`)}  ${counts.join(", ")}`;
}

function counted({ length }: readonly unknown[], noun: string): string {
  return `${length} ${noun}${length === 1 ? "" : "s"}`;
}

function toTries(url: string, { tools }: Offer, needsKey: boolean): string {
  const call = toExampleCall(tools);
  if (!call) return "";
  const given = inShell(JSON.stringify(call.arguments));
  const key = needsKey ? "LETHE_TOKEN=KEY " : "";
  return `\nTry:\n  ${key}npx lethe call ${url} ${call.name} ${given}\n\n  ${toCurl(url, call, needsKey)}\n`;
}

function toCurl(url: string, call: ExampleCall, needsKey: boolean): string {
  const meta = {
    [metaKey.protocolVersion]: modelRevision,
    [metaKey.clientCapabilities]: {},
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...call, _meta: meta } });
  return [
    `curl -s ${url}`,
    ...(needsKey ? ["-H 'Authorization: Bearer KEY'"] : []),
    "-H 'Content-Type: application/json'",
    "-H 'Accept: application/json, text/event-stream'",
    `-H 'MCP-Protocol-Version: ${modelRevision}'`,
    "-H 'Mcp-Method: tools/call'",
    `-H 'Mcp-Name: ${call.name}'`,
    `-d ${inShell(body)}`,
  ].join(" \\\n    ");
}

/** Escapes control characters, which does not change the JSON. */
function inShell(json: string): string {
  return `'${toPrintable(json).replaceAll("'", "'\\''")}'`;
}
