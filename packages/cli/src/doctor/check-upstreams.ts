// Starts each server once, as the gateway would, and reports its era, its verdict and its tools.
import { createGateway, type GatewayConfig } from "@lethe/gateway";
import { hideSecrets, longestFirst } from "@lethe/probe";
import { type Finding, ok, problem, warning } from "./finding.ts";

export interface UpstreamCheck {
  /** How long all servers may take together, in ms. */
  readonly timeoutMs: number;
  /** Values that must not be printed. */
  readonly secrets: readonly string[];
  /** Called when a server is ready or has failed. */
  onDone(upstream: string): void;
}

export async function checkUpstreams(config: GatewayConfig, check: UpstreamCheck): Promise<Finding[]> {
  const failures = new Map<string, string>();
  const known = longestFirst(check.secrets);
  const { auth: _auth, redis: _redis, postgres: _postgres, telemetry: _telemetry, ...settings } = config.settings ?? {};
  const gateway = createGateway(
    { ...config, settings },
    {
      // Nothing is sealed for callers.
      keys: `doctor:${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")}`,
      onEvent(event) {
        if (event.kind === "ready") failures.delete(event.upstream);
        if (event.kind === "failed") failures.set(event.upstream, hideSecrets(event.reason, known));
        if (event.kind === "ready" || event.kind === "failed") check.onDone(event.upstream);
      },
    },
  );
  try {
    const isSettled = await Promise.race([gateway.settled.then(() => true), after(check.timeoutMs)]);
    return gateway.upstreams.map(({ name, connection, verdict }) => {
      const failure = failures.get(name);
      if (failure !== undefined && !connection) return toFailure(name, failure);
      if (!connection) return toSilence(name, isSettled, check.timeoutMs);
      const tools = gateway.endpointAt(`/mcp/${name}`)?.view.current.tools.length ?? 0;
      const found = `${name} answers: ${connection.revision}, ${tools} tools`;
      if (!verdict) return ok("upstreams", found);
      return ok("upstreams", `${found}, ${verdict.word}: ${hideSecrets(verdict.because, known)}`);
    });
  } finally {
    await gateway.close();
  }
}

function toFailure(name: string, failure: string): Finding {
  return problem("upstreams", `${name} does not start`, {
    cause: failure,
    remedy: "run its command, or request its URL, as the account of the gateway and with its environment",
  });
}

function toSilence(name: string, isSettled: boolean, timeoutMs: number): Finding {
  if (isSettled) return ok("upstreams", `${name} starts with the first request for it`);
  return warning("upstreams", `${name} has not answered within ${timeoutMs / 1_000} s`, {
    cause: "it is slow to start, for example because it is downloaded first",
    remedy: "install it in advance, or raise --timeout",
  });
}

async function after(ms: number): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(false), ms).unref();
  });
}
