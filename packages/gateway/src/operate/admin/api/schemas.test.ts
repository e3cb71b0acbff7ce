// What the administration answers has the form that its OpenAPI document describes.
import { tasksExtension } from "@lethe/protocol";
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
  let items: Record<string, string>;
  beforeAll(async () => {
    const block = { admin: { bodies: true }, tasks: { afterMs: 0 }, upstreams: { gh: { tasks: "auto" } } };
    gateway = await operate(fixture.documentOf(block));
    const read = async (path: string) => (await gateway.get(`/admin/v1${path}`)).json();
    await read("/overview");
    const capabilities = { extensions: { [tasksExtension]: {} } };
    await gateway.ask("tools/call", { name: "gh__hold" }, { capabilities });
    const { exchanges } = await read("/exchanges?method=tools/call");
    const { tasks } = await read("/tasks");
    items = { "/exchanges/{id}": exchanges[0].id, "/tasks/{id}": tasks[0].id };
  }, 120_000);
  afterAll(() => gateway[Symbol.asyncDispose]());

  it.each(answered)("has the form that the document describes: %s", async (_name, { path, answer }) => {
    const response = await gateway.get(`/admin/v1${path.replace(/\{(?:id|name)\}/, items[path] ?? "gh")}`);
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
