// One stdio upstream misbehaves in every listed way, and another upstream of the same gateway stays usable.
import { expect, it } from "vitest";
import { kinds } from "./kinds.ts";
import { hostileOver, requireGoodService } from "./testing/good-service.ts";

it.each(hostileOver("stdio"))(
  "an upstream on stdio of the kind %s delays no call to another upstream",
  { timeout: 180_000 },
  (kind) => requireGoodService(kind, "stdio"),
);

it("the table of kinds lists every hostile behaviour", async () => {
  const { behaviours } = (await import(new URL("./behaviours.mjs", import.meta.url).href)) as { behaviours: object };
  expect(Object.keys(behaviours).sort()).toEqual(Object.keys(kinds).sort());
});
