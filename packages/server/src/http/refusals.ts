// The answers that reject a request for its head or the size of its body: step 3 of B-35 (B-1, B-9, B-10).
import { type HeaderReader, type McpError, overloaded, tooManyRequests } from "@lethe/protocol";
import { type HttpAnswer, toErrorAnswer, toRefusal } from "./answers.ts";
import { toPreflightAnswer } from "./cors.ts";
import type { HttpSettings } from "./http-options.ts";
import { isJsonMediaType } from "./media-type.ts";
import type { Servable } from "./servable.ts";

export function refuseVerb(verb: string, servable: Servable): HttpAnswer | undefined {
  if (verb === "POST" || (servable.legacy && (verb === "GET" || verb === "DELETE"))) return undefined;
  return toRefusal(405, "method not allowed: use POST", { Allow: toVerbs(servable) });
}

export function refuseBody(headers: HeaderReader, settings: HttpSettings): HttpAnswer | undefined {
  if (!isJsonMediaType(headers("content-type"))) return toRefusal(415, "the body must be application/json");
  if ((headers("content-encoding") ?? "identity") !== "identity") return toRefusal(415, "the body must not be encoded");
  return Number(headers("content-length") ?? 0) > settings.maxBodyBytes ? toSizeRefusal(settings) : undefined;
}

export function toSizeRefusal({ maxBodyBytes }: HttpSettings): HttpAnswer {
  return toRefusal(413, `the body exceeds ${maxBodyBytes} bytes`, { Connection: "close" });
}

export function toMemoryRefusal(bytes: number, maxBytes: number): HttpAnswer {
  return toRefusal(413, `the body would take about ${bytes} bytes of memory; the limit is ${maxBytes}`);
}

export function toSlownessRefusal({ bodyTimeoutMs }: HttpSettings): HttpAnswer {
  return toRefusal(408, `the body took longer than ${bodyTimeoutMs} ms`, { Connection: "close" });
}

/** For a slow body that makes room for another request. */
export function toSlowBodyRefusal(): HttpAnswer {
  return toClosing(overloaded("busy: the body arrives too slowly", 1_000));
}

/** For a request that exceeds the share of its party in the memory budget. */
export function toShareRefusal(kind = "client"): HttpAnswer {
  return toClosing(tooManyRequests(`busy: requests of this ${kind} already hold its share of memory; retry`, 1_000));
}

/** Closes the connection, because the rest of the body is not read. */
function toClosing(error: McpError): HttpAnswer {
  const { status, headers, body } = toErrorAnswer(error, undefined);
  return { status, headers: { ...headers, Connection: "close" }, body };
}

export function toOptionsAnswer(servable: Servable, headers: HeaderReader, isCors: boolean): HttpAnswer {
  const verbs = toVerbs(servable);
  if (isCors) return toPreflightAnswer(headers("access-control-request-headers"), verbs);
  return { status: 204, headers: { Allow: `${verbs}, OPTIONS` }, body: "" };
}

function toVerbs(servable: Servable): string {
  return servable.legacy ? "POST, GET, DELETE" : "POST";
}
