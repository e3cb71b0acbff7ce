// The TLS certificates of remote servers, of the public URL and of Redis: whether they are trusted, and when they expire.
import { connect, type PeerCertificate } from "node:tls";
import type { GatewayConfig } from "@lethe/gateway";
import { type Finding, ok, problem, warning } from "./finding.ts";

const connectTimeoutMs = 5_000;
const day = 24 * 60 * 60 * 1_000;
const soonDays = 21;
/** Hosts that are asked at most. */
const maxHosts = 100;

export interface SeenCertificate {
  readonly validTo: string;
  /** Why the certificate is not trusted. */
  readonly distrust: string | undefined;
}

export async function checkCertificates({ upstreams, settings = {} }: GatewayConfig): Promise<Finding[]> {
  const urls = [
    ...upstreams.flatMap((upstream) => (upstream.kind === "http" ? [upstream.url] : [])),
    ...(settings.publicUrl === undefined ? [] : [settings.publicUrl]),
    ...(settings.redis ? [settings.redis.url] : []),
  ].map((url) => new URL(url));
  const secure = urls.filter(({ protocol }) => protocol === "https:" || protocol === "rediss:");
  const hosts = new Map(secure.map((url) => [toAddress(url), url]));
  return Promise.all([...hosts].slice(0, maxHosts).map(([address, url]) => checkHost(address, url)));
}

function toAddress({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 6_379) : port}`;
}

async function checkHost(address: string, url: URL): Promise<Finding> {
  try {
    return toCertificateFinding(address, await readCertificate(address, url), Date.now());
  } catch (error) {
    return warning("tls", `the certificate of ${address} cannot be read`, {
      cause: (error as Error).message,
      remedy: "check the address, and that this machine may connect to it: certificates are read without HTTPS_PROXY",
    });
  }
}

export function toCertificateFinding(address: string, { validTo, distrust }: SeenCertificate, now: number): Finding {
  const days = Math.floor((Date.parse(validTo) - now) / day);
  const until = `until ${new Date(validTo).toISOString().slice(0, 10)}`;
  if (days < 0) {
    const cause = "connections to it fail";
    return problem("tls", `the certificate of ${address} expired ${-days} days ago`, { cause, remedy: "renew it" });
  }
  if (distrust !== undefined) {
    return problem("tls", `the certificate of ${address} is not trusted`, {
      cause: distrust,
      remedy: "install the certificate of its authority and set NODE_EXTRA_CA_CERTS to it, or correct the host name",
    });
  }
  if (days >= soonDays) return ok("tls", `the certificate of ${address} is valid ${until}`);
  const cause = "connections to it will fail then";
  return warning("tls", `the certificate of ${address} expires in ${days} days`, { cause, remedy: "renew it" });
}

/** Reads certificates that are not trusted, too. Nothing is sent over the connection. */
function readCertificate(address: string, { hostname }: URL): Promise<SeenCertificate> {
  const host = hostname.replace(/^\[|\]$/g, "");
  const port = Number(address.slice(address.lastIndexOf(":") + 1));
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, servername: /[a-z]/i.test(host) ? host : "", rejectUnauthorized: false });
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(connectTimeoutMs, () => fail(new Error(`no answer within ${connectTimeoutMs / 1_000} s`)));
    socket.once("error", fail);
    socket.once("secureConnect", () => {
      const certificate: Partial<PeerCertificate> = socket.getPeerCertificate();
      const distrust = socket.authorized ? undefined : String(socket.authorizationError);
      socket.destroy();
      if (certificate.valid_to === undefined) reject(new Error("the server sent no certificate"));
      else resolve({ validTo: certificate.valid_to, distrust });
    });
  });
}
