// Answers another replica with the exchanges of this one since its last question.
import { createHash } from "node:crypto";
import type { GatewayView } from "../../observe/gateway-view.ts";
import type { ApiRequest } from "../api/api-request.ts";
import type { ListName, NewExchanges } from "../api/replica-question.ts";
import type { AdminSource } from "./admin-source.ts";
import { toExchange } from "./exchange-answers.ts";

/** Exchanges in one answer. */
const maxNew = 100;
/** Exchanges in the first answer, to a question without `from`. */
const maxFirst = 200;

export function toNewExchanges({ exchanges, replica, view }: AdminSource, { query }: ApiRequest): NewExchanges {
  const from = Number(query.from ?? Number.NaN);
  const lists = toListVersions(view());
  if (!Number.isSafeInteger(from)) {
    const { last, leftOut } = exchanges;
    const kept = exchanges.list({ limit: maxFirst }).reverse();
    return { exchanges: kept.map((one) => toExchange(one, replica)), last, hasMore: false, leftOut, lists };
  }
  const { exchanges: found, last, hasMore } = exchanges.read({ after: from - 1, limit: maxNew });
  return { exchanges: found.map((one) => toExchange(one, replica)), last, hasMore, leftOut: exchanges.leftOut, lists };
}

/** The versions of the lists, short enough to send. */
function toListVersions({ versions }: GatewayView): Record<ListName, string> {
  return {
    sessions: digest(versions.sessions),
    "pending-calls": digest(versions["pending-calls"]),
    tasks: digest(versions.tasks),
  };
}

/** The names of the lists that differ. */
export function changedLists(
  before: Readonly<Record<ListName, string>> | undefined,
  now: Readonly<Record<ListName, string>>,
): ListName[] {
  if (!before) return [];
  return (Object.keys(now) as ListName[]).filter((name) => before[name] !== now[name]);
}

function digest(text: string): string {
  return text === "" ? "" : createHash("sha256").update(text).digest("base64url").slice(0, 16);
}
