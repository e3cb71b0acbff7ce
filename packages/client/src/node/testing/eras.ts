// Server programs of each era and of each bad habit that was seen (J-28), for tests.
import { script } from "./scripts.ts";

export const discovered = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "public",
};
export const initialized = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "old", version: "1" },
};

/** `on` maps a method to an expression for what is sent back: `result(…)`, `error(code)`, or nothing. */
export function server(on: Record<string, string>, before = ""): string[] {
  const cases = Object.entries(on).map(([method, then]) => `${JSON.stringify(method)}: () => { ${then} }`);
  return script(`
    const discovered = ${JSON.stringify(discovered)}, initialized = ${JSON.stringify(initialized)};
    let first;
    read((message) => {
      first ??= message.method;
      const { id, params } = message;
      const result = (value) => write({ jsonrpc: "2.0", id, result: value });
      const error = (code, data) => write({ jsonrpc: "2.0", id, error: { code, message: "no", data } });
      const on = { ${cases.join(", ")} };
      ${before}
      if (on[message.method]) on[message.method]();
      else if (id !== undefined && message.method) error(-32601);
    });
  `);
}

const call = "result({ content: [{ type: 'text', text: 'called by ' + process.pid }] })";

export const modern: string[] = server({ "server/discover": "result(discovered)", "tools/call": call });
export const legacy: string[] = server({ initialize: "result(initialized)", "tools/call": call });
export const initialize = "result(initialized)";
