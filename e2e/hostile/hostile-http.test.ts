// One HTTP upstream misbehaves in every listed way, and another upstream of the same gateway stays usable.
import { it } from "vitest";
import { hostileOver, requireGoodService } from "./testing/good-service.ts";

it.each(hostileOver("http"))(
  "an upstream over HTTP of the kind %s delays no call to another upstream",
  { timeout: 180_000 },
  (kind) => requireGoodService(kind, "http"),
);
