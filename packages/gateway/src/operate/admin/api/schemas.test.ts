// What the administration answers has the form that its OpenAPI document describes.
import { compileSchema } from "@lethe/server/edge";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Operated, operate } from "../../../testing/operated.ts";
import { useTwoUpstreams } from "../../../testing/two-upstreams.ts";
import { createOpenApiDocument } from "./openapi.ts";
import { type Operation, operations } from "./operations.ts";

const fixture = useTwoUpstreams();
const { components } = createOpenApiDocument();
const answered = Object.entries<Operation<unknown>>(operations).filter(([, { verb }]) => verb === "GET");

describe("an answer of the administration", () => {
  let gateway: Operated;
  const items: Record<string, string> = { name: "gh" };
  beforeAll(async () => {
    gateway = await operate(fixture.documentOf({ admin: { bodies: true } }));
    await gateway.ask("tools/call", { name: "gh__read" });
    const { exchanges } = await (await gateway.get("/admin/v1/exchanges?method=tools/call")).json();
    items.id = exchanges[0].id;
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it.each(answered)("has the form that the document describes: %s", async (_name, { path, answer }) => {
    const response = await gateway.get(`/admin/v1${path.replace(/\{(\w+)\}/, (_, name) => items[name] ?? "")}`);
    expect(response.status).toBe(200);
    const { check } = compileSchema({ ...answer.schema, components }, { direction: "output" });
    expect((await check(await response.json())).issues).toBeUndefined();
  });

  it("is found to differ when a member has another form", async () => {
    const { check } = compileSchema({ ...operations.overview.answer.schema, components }, { direction: "output" });
    const overview = await (await gateway.get("/admin/v1/overview")).json();
    expect((await check({ ...overview, sessions: "two" })).issues).toBeDefined();
    expect((await check({ ...overview, unknown: 1 })).issues).toBeDefined();
  });
});
