// What callers send for extensions: notifications and `_meta` reach the one server that they can be for, unless the policy or the operator's
// `extensions` setting keeps them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type GatewaySettings, type ServedGateway, serveGateway } from "lethe/gateway";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { stdioUpstream } from "./in-process.ts";

const file = fileURLToPath(new URL("../servers/gated.mjs", import.meta.url));
const lists = fileURLToPath(new URL("../servers/plain-lists.mjs", import.meta.url));
const custom = "com.example/custom";
const notification = "notifications/com.example/custom";

const program = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
let url: string;
beforeAll(async () => {
  url = String((await once(program.stdout, "data"))[0]).trim();
});
afterAll(() => {
  program.kill();
});

let gateway: ServedGateway | undefined;
afterEach(() => gateway?.close());

interface Plan {
  readonly policy?: NonNullable<GatewaySettings["policy"]>;
  readonly extensions?: { readonly allow?: string[]; readonly deny?: string[] };
  readonly both?: boolean;
}

async function start({ policy, extensions, both = false }: Plan = {}): Promise<string> {
  const more = extensions && { extensions };
  const upstreams = [
    { kind: "http" as const, name: "gated", url, headers: {}, ...more },
    stdioUpstream("other", [lists, JSON.stringify({ name: "other" })]),
    ...(both ? [stdioUpstream("old", [file, "legacy"], { era: "legacy", ...more })] : []),
  ];
  const settings = { port: 0, shutdown: { graceMs: 0 }, ...(policy && { policy }) };
  const config = { upstreams, settings } as never;
  gateway = await serveGateway({ load: async () => ({ config, notes: [], files: [], secrets: [] }), watches: false });
  await gateway.gateway.settled;
  return gateway.url;
}

async function using<T>(at: string, isLegacy: boolean, use: (client: Client) => Promise<T>): Promise<T> {
  const mode = isLegacy ? "legacy" : { pin: "2026-07-28" };
  const capabilities = { extensions: { [custom]: {} } };
  const client = new Client({ name: "caller", version: "1" }, { versionNegotiation: { mode }, capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL(at)));
  return use(client).finally(() => client.close());
}

const anything = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as const;
const heardBy = async (client: Client): Promise<unknown> =>
  client.request({ method: `${custom}.heard` } as never, anything as never);
const marks: string[] = [];

/** Sends a notification with a mark of its own. */
async function notify(client: Client, method = notification): Promise<string> {
  const mark = `mark ${marks.push("")}`;
  await client.notification({ method, params: { mark } } as never);
  return mark;
}

describe.each([
  ["2026-07-28", false],
  ["2025-11-25", true],
])("a caller of %s", (_, isLegacy) => {
  it("notifies a server of either revision at its endpoint", async () => {
    const at = await start({ both: true });
    for (const name of ["gated", "old"]) {
      await using(`${at}/${name}`, isLegacy, async (client) => {
        const mark = await notify(client);
        expect(JSON.stringify(await heardBy(client))).toContain(mark);
      });
    }
  });

  it("notifies at the merged endpoint the only server with the extension, and no server if two have it", async () => {
    const at = await start();
    await using(at, isLegacy, async (client) => {
      const mark = await notify(client);
      expect(JSON.stringify(await heardBy(client))).toContain(mark);
    });
    await gateway?.close();
    const shared = await start({ both: true });
    const mark = await using(shared, isLegacy, (client) => notify(client));
    for (const name of ["gated", "old"]) {
      const heard = await using(`${shared}/${name}`, isLegacy, heardBy);
      expect(JSON.stringify(heard)).not.toContain(mark);
    }
  });

  it("reaches nothing with a notification that a revision defines, or that its policy does not allow", async () => {
    const rule = { effect: "allow" as const, upstreams: ["gated"] };
    const at = await start({ policy: [{ ...rule, methods: [`${custom}.heard`, "tools/call"] }] });
    await using(`${at}/gated`, isLegacy, async (client) => {
      const sent = [await notify(client), await notify(client, "notifications/tools/list_changed")];
      const heard = JSON.stringify(await heardBy(client));
      for (const mark of sent) expect(heard).not.toContain(mark);
    });
    await gateway?.close();
    const allowing = await start({ policy: [{ ...rule, methods: [`${custom}.heard`, notification] }] });
    await using(`${allowing}/gated`, isLegacy, async (client) => {
      const mark = await notify(client);
      expect(JSON.stringify(await heardBy(client))).toContain(mark);
    });
  });

  it("passes `_meta` of an extension to the server, but not of one that the operator switched off for it", async () => {
    const call = { name: "caps", arguments: {}, _meta: { "com.example/other": 1, [custom]: 2, "org.example/x": 3 } };
    for (const [extensions, passed, kept] of [
      [undefined, ["com.example/other", custom, "org.example/x"], []],
      [{ deny: [custom] }, ["com.example/other", "org.example/x"], [custom]],
      [{ allow: ["org.example/*"] }, ["org.example/x"], [custom, "com.example/other"]],
    ] as const) {
      const at = await start({ both: true, ...(extensions && { extensions: extensions as never }) });
      for (const name of ["gated", "old"]) {
        await using(`${at}/${name}`, isLegacy, async (client) => {
          const { _meta, content } = await client.callTool(call);
          const got = _meta?.["com.example/got"];
          expect(got).toEqual(expect.arrayContaining([...passed]));
          for (const key of kept) expect(got).not.toContain(key);
          const declared = JSON.parse((content as { text: string }[])[0]?.text ?? "");
          // A legacy server learns a declaration in `initialize`, and only if its lists depend on it.
          const isDeclared = extensions === undefined && name === "gated";
          expect(declared.extensions?.[custom] !== undefined).toBe(isDeclared);
          expect(client.getServerCapabilities()?.extensions?.[custom] !== undefined).toBe(extensions === undefined);
        });
      }
      await gateway?.close();
    }
  });

  it("uses no method and no notification of an extension that the operator switched off", async () => {
    const at = await start({ extensions: { deny: ["*"] } });
    await using(`${at}/gated`, isLegacy, async (client) => {
      await notify(client);
      await expect(heardBy(client)).rejects.toThrow(/method not found/);
    });
  });
});
