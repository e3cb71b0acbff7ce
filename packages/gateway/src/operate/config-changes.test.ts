// What a reload would change, as administrators see it before they reload.
import { expect, it } from "vitest";
import { operate } from "../testing/operated.ts";
import { useTwoUpstreams } from "../testing/two-upstreams.ts";

const fixture = useTwoUpstreams();

it("shows what a reload would change without secrets, and reloads only when asked", async () => {
  await using gateway = await operate(fixture.documentOf({ admin: { exchanges: 100 } }));
  const changes = async () => (await gateway.get("/admin/v1/config/changes")).json();
  expect(await changes()).toMatchObject({ isValid: true, changes: [], upstreams: { added: [], removed: [] } });
  const servers = {
    gh: { url: fixture.upstreams.urls.gh, headers: { authorization: "Bearer new-secret-0123456789" } },
    more: { url: fixture.upstreams.urls.fs },
  };
  gateway.write({ mcpServers: servers, gateway: { port: 4_000, admin: { exchanges: 50 } } });
  const shown = await changes();
  expect(shown).toMatchObject({
    isValid: true,
    upstreams: { added: ["more"], changed: ["gh"], removed: ["fs"] },
    needsRestart: ["admin.exchanges"],
  });
  expect(shown.changes).toContainEqual({ path: "settings.admin.exchanges", before: 100, after: 50 });
  expect(shown.changes).toContainEqual({ path: "upstreams.gh.headers.authorization", before: "***", after: "***" });
  expect(JSON.stringify(shown)).not.toMatch(/new-secret|own-gh/);
  expect((await (await gateway.get("/admin/v1/upstreams")).json()).upstreams).toHaveLength(2);
  const reload = await fetch(new URL("/admin/v1/config/reload", gateway.served.url), { method: "POST" });
  expect([reload.status, await reload.json()]).toEqual([200, { isApplied: true, problems: [] }]);
  expect(await changes()).toMatchObject({ changes: [] });
});

it("shows the problems of a configuration that a reload would refuse", async () => {
  await using gateway = await operate(fixture.documentOf());
  gateway.write({ mcpServers: { gh: { url: "nowhere" } } });
  const { isValid, problems } = await (await gateway.get("/admin/v1/config/changes")).json();
  expect([isValid, problems]).toEqual([false, [expect.stringContaining("gh")]]);
  const reload = await fetch(new URL("/admin/v1/config/reload", gateway.served.url), { method: "POST" });
  expect(reload.status).toBe(422);
});
