// The open requests of a connection with their time limits. Closing the connection cancels all of them.
import { type Exchange, type ModernRequest, method, OpenMap } from "@lethe/protocol";
import type { ConnectionEnd } from "./connection.ts";
import { Deadline, type TimeLimits } from "./deadline.ts";
import { abortSignalOf, type CallExchange } from "./exchange.ts";
import { TransportError } from "./transport-error.ts";

export interface OpenRequests {
  /** Throws TransportError "closed" after `close`. Pass the result to `end`. */
  begin(request: ModernRequest, exchange: Exchange): Deadline;
  end(deadline: Deadline): void;
  /** Cancels all open requests. Idempotent. */
  close(reason: string): void;
  readonly closed: Promise<ConnectionEnd>;
}

const unlimited: TimeLimits = { timeoutMs: Number.POSITIVE_INFINITY, maxTotalMs: Number.POSITIVE_INFINITY };

/** `server` is the server's name in errors. `usual` applies to requests whose exchange sets no limits. */
export function createOpenRequests(server: string, usual: TimeLimits): OpenRequests {
  const open = new OpenMap<Deadline>();
  let lastNumber = 0;
  let closedBecause: string | undefined;
  let resolveClosed: (end: ConnectionEnd) => void;
  const closed = new Promise<ConnectionEnd>((resolve) => {
    resolveClosed = resolve;
  });

  return {
    begin(request, exchange) {
      const what = `${request.method} to ${server}`;
      if (closedBecause !== undefined)
        throw new TransportError("closed", `${what}: the connection is ${closedBecause}`);
      const limits = limitsOf(request, exchange, usual);
      // A signal costs more than everything else here, so it is created only if the exchange cannot do without.
      const deadline = new Deadline(what, limits, exchange.onAbort ? undefined : abortSignalOf(exchange));
      deadline.number = ++lastNumber;
      exchange.onAbort?.(() => deadline.cancel());
      open.add(deadline.number, deadline);
      return deadline;
    },
    end(deadline) {
      open.take(deadline.number);
      deadline.clear();
    },
    close(reason) {
      if (closedBecause !== undefined) return;
      closedBecause = reason;
      for (const deadline of open.values)
        deadline.abort(new TransportError("closed", `${server}: the connection was ${reason}`));
      resolveClosed({ reason });
    },
    closed,
  };
}

// E-18: a listen stream has no time limits unless its exchange sets some.
function limitsOf({ method: name }: ModernRequest, { limits }: CallExchange, usual: TimeLimits): TimeLimits {
  const defaults = name === method.listen ? unlimited : usual;
  if (!limits) return defaults;
  return { timeoutMs: limits.timeoutMs ?? defaults.timeoutMs, maxTotalMs: limits.maxTotalMs ?? defaults.maxTotalMs };
}
