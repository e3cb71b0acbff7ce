// Every feature passes the gateway in both directions between clients and servers of either era: one list of features, four runs.

import { decodeHeaderValue, type JsonObject, type LogMessage, type Progress } from "@lethe/protocol";
import { type ServedGateway, serveGateway } from "lethe/gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startModern } from "../servers/crossing-modern.ts";
import * as offer from "../servers/crossing-offer.ts";
import { startV1 } from "../servers/crossing-v1.ts";
import { type CrossingClient, connectLegacy, connectModern, root } from "./crossing-clients.ts";

type Era = "modern" | "legacy";

interface Sides {
  readonly client: CrossingClient;
  readonly server: offer.CrossingServer;
  readonly clientEra: Era;
  readonly serverEra: Era;
}

const eras = ["modern", "legacy"] as const;
const connectAs = { modern: connectModern, legacy: connectLegacy };
const startAs = { modern: startModern, legacy: startV1 };
/** The gateway prefixes the names of its servers. */
const toPublic = (name: string) => `up__${name}`;
const soon = { timeout: 5_000 };

const features: Readonly<Record<string, (sides: Sides) => Promise<void>>> = {
  "instructions, and all pages of every list in their order": async ({ client }) => {
    expect(client.instructions).toBe(offer.instructions);
    const names = async (kind: Parameters<CrossingClient["list"]>[0]) =>
      (await client.list(kind)).map((item) => (item as { name: string }).name);
    expect(await names("tools")).toEqual(offer.tools.map(({ name }) => toPublic(name)));
    expect(await names("prompts")).toEqual(offer.prompts.map(({ name }) => toPublic(name)));
    expect(await names("resources")).toEqual(offer.resources.map(({ name }) => name));
    expect(await names("resourceTemplates")).toEqual(offer.templates.map(({ name }) => name));
  },

  "titles, icons, annotations, schemas and _meta of listed items": async ({ client }) => {
    const [tool, prompt] = [offer.tools[0], offer.prompts[0]].map((item) => ({
      ...item,
      name: toPublic(item?.name ?? ""),
    }));
    expect((await client.list("tools"))[0]).toMatchObject(tool as object);
    expect((await client.list("prompts"))[0]).toMatchObject(prompt as object);
    expect((await client.list("resources"))[0]).toEqual(offer.resources[0]);
    expect((await client.list("resourceTemplates"))[0]).toEqual(offer.templates[0]);
  },

  "structured content, and _meta of results": async ({ client }) => {
    const result = await client.call(toPublic("measure"), { place: "Bern" });
    expect(result).toMatchObject({
      content: [{ type: "text", text: "21 °C in Bern" }],
      structuredContent: { celsius: 21 },
      _meta: offer.mark,
    });
  },

  "every kind of content, and what a result links to": async ({ client }) => {
    const result = await client.call(toPublic("show"));
    expect(result.content).toEqual(offer.content);
    expect(await client.read("test://page/7")).toMatchObject({ contents: [{ text: "page 7" }] });
  },

  "_meta of requests, with trace context": async ({ client, server }) => {
    const trace = {
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      tracestate: "a=1",
      baggage: "b=2",
    };
    await client.call(toPublic("show"), {}, { meta: { ...offer.mark, ...trace } });
    expect(server.calls.at(-1)?.meta).toMatchObject({ ...offer.mark, ...trace });
  },

  "mirrored arguments, made anew where the server is modern (J-57)": async ({ client, server, serverEra }) => {
    const result = await client.call(toPublic("where"), { region: "Zürich" });
    expect(result.content).toMatchObject([{ text: "in Zürich" }]);
    const call = server.calls.at(-1);
    const header = call?.header("mcp-param-region");
    expect(header && decodeHeaderValue(header)).toBe(serverEra === "modern" ? "Zürich" : undefined);
    expect(call?.header("mcp-name")).toBe(serverEra === "modern" ? "where" : undefined);
  },

  "progress, under a token of the gateway's own (J-55)": async ({ client, server }) => {
    const heard: Progress[] = [];
    await client.call(toPublic("report"), {}, { onProgress: (progress) => heard.push(progress) });
    expect(heard).toEqual(offer.steps);
    await client.call(toPublic("report"));
    expect(server.calls.at(-1)?.meta).not.toHaveProperty("progressToken");
  },

  "logs, as far as the caller wants them": async ({ client }) => {
    const heard: LogMessage[] = [];
    await client.call(toPublic("report"), {}, { onLog: (message) => heard.push(message) });
    expect(heard).toEqual([offer.warning]);
  },

  "cancellation (J-63)": async ({ client, server }) => {
    const stop = new AbortController();
    const calling = client.call(toPublic("hang"), {}, { signal: stop.signal });
    await expect.poll(() => server.calls.at(-1)?.name, soon).toBe("hang");
    stop.abort();
    await expect(calling).rejects.toThrow();
    await expect.poll(() => server.cancelled, soon).toEqual(["hang"]);
  },

  "questions to a user, a model and a host": async ({ client }) => {
    const result = await client.call(toPublic("ask"));
    expect(result.content).toMatchObject([{ text: `Ann, forty-two, ${root.uri}` }]);
  },

  "failures of tools, and errors with their code and data": async ({ client }) => {
    expect(await client.call(toPublic("fail"))).toMatchObject({ isError: true, content: [{ text: "out of order" }] });
    await expect(client.call(toPublic("refuse"))).rejects.toMatchObject({ code: 4_001, data: { until: "tomorrow" } });
  },

  "prompts with embedded content": async ({ client }) => {
    expect(await client.getPrompt(toPublic("greet"), { language: "Danish" })).toMatchObject(
      offer.getPrompt("greet", { language: "Danish" }),
    );
  },

  "resources: text, bytes, and that there is none (J-9)": async ({ client, clientEra }) => {
    expect(await client.read(offer.note)).toMatchObject({ contents: [offer.read(offer.note)] });
    expect(await client.read("test://picture")).toMatchObject({ contents: [{ mimeType: "image/png", blob: "AAAA" }] });
    const code = clientEra === "modern" ? -32_602 : -32_002;
    await expect(client.read("test://nothing")).rejects.toMatchObject({ code, data: { uri: "test://nothing" } });
  },

  "completion of prompts and templates, by what was filled in before": async ({ client }) => {
    const complete = async (name: string | undefined, value: string): Promise<JsonObject> =>
      client.complete({
        ref: { type: "ref/prompt", name: toPublic("greet") },
        argument: { name: "language", value },
        ...(name !== undefined && { context: { arguments: { name } } }),
      });
    expect(await complete("Ann", "D")).toMatchObject({ completion: { values: ["Danish", "Dutch"], total: 2 } });
    expect(await complete(undefined, "D")).toMatchObject({ completion: { values: ["Dutch"] } });
    const ref = { type: "ref/resource" as const, uri: offer.templates[0]?.uriTemplate ?? "" };
    expect(await client.complete({ ref, argument: { name: "number", value: "1" } })).toMatchObject({
      completion: { values: ["1", "10"] },
    });
  },

  "updates of a resource, for as long as they are wanted": async ({ client, server }) => {
    const end = await client.watch(offer.note);
    server.update("test://picture");
    server.update(offer.note);
    await expect.poll(() => client.changes, soon).toContain(offer.note);
    expect(client.changes).not.toContain("test://picture");
    await end();
    const endOther = await client.watch("test://picture");
    server.update(offer.note);
    server.update("test://picture");
    await expect.poll(() => client.changes, soon).toContain("test://picture");
    expect(client.changes.filter((change) => change === offer.note)).toHaveLength(1);
    await endOther();
  },

  "changes of each list, which is then another": async ({ client, server }) => {
    for (const kind of ["tools", "prompts", "resources"] as const) {
      client.changes.length = 0;
      server.add(kind, `late-${kind}`);
      await expect.poll(() => client.changes, soon).toContain(kind);
      expect(client.changes.filter((change) => change !== kind)).toEqual([]);
      expect(JSON.stringify(await client.list(kind))).toContain(`late-${kind}`);
    }
  },
};

describe.each(eras.flatMap((clientEra) => eras.map((serverEra) => ({ clientEra, serverEra }))))(
  "between a $clientEra client and a $serverEra server cross",
  ({ clientEra, serverEra }) => {
    let server: offer.CrossingServer;
    let gateway: ServedGateway;
    let client: CrossingClient;
    beforeAll(async () => {
      server = await startAs[serverEra]();
      gateway = await startGateway(server.url, serverEra);
      client = await connectAs[clientEra](gateway.url);
    });
    afterAll(async () => {
      await client?.close();
      await gateway?.close();
      await server?.close();
    });

    it.each(Object.keys(features))("the gateway carries %s between the two eras", async (name) => {
      await features[name]?.({ client, server, clientEra, serverEra });
    });
  },
);

/** Served as in operation, because only that accepts older clients. */
async function startGateway(url: string, era: Era): Promise<ServedGateway> {
  // A dual-era server would serve an older client in its legacy era.
  const upstreams = [{ kind: "http" as const, name: "up", url, headers: {}, ...(era === "modern" && { era }) }];
  const config = { upstreams, settings: { port: 0, shutdown: { graceMs: 0 } } };
  const served = await serveGateway({
    load: async () => ({ config, notes: [], files: [], secrets: [] }),
    watches: false,
  });
  await served.gateway.settled;
  return served;
}
