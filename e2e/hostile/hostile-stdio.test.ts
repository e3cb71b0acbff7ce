// One upstream over stdio misbehaves, in every way there is: another upstream of the same gateway stays usable.
import { expect, it } from "vitest";
import { kinds } from "./kinds.ts";
import { hostileOver, requireGoodService } from "./testing/good-service.ts";

it.each(hostileOver("stdio"))(
  "an upstream of the kind %s keeps no call from another upstream",
  { timeout: 180_000 },
  (kind) => requireGoodService(kind, "stdio"),
);

it("every behaviour is named in the table of kinds", async () => {
  const { behaviours } = (await import(new URL("./behaviours.mjs", import.meta.url).href)) as { behaviours: object };
  expect(Object.keys(behaviours).sort()).toEqual(Object.keys(kinds).sort());
});
