// Answers with the endpoints of this replica.
import type { EndpointsAnswer } from "../api/endpoints.ts";
import type { AdminSource } from "./admin-source.ts";

export function toEndpoints({ replica, endpoints }: Pick<AdminSource, "replica" | "endpoints">): EndpointsAnswer {
  return { replica, endpoints: endpoints() };
}
