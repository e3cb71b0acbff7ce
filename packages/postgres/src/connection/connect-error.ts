// Why a first connection has failed, and what an operator changes.
import pg from "pg";
import { sessionParameters, toDriverConfig } from "./driver-config.ts";
import { reasonOf } from "./postgres-error.ts";
import { UnusablePostgresError, type UnusablePostgresReason } from "./unusable-postgres-error.ts";

interface Cause {
  /** Undefined if PostgreSQL may be usable later without a change. */
  readonly kind?: UnusablePostgresReason;
  /** Default: what PostgreSQL or the driver says. */
  readonly reason?: string;
  readonly advice: string;
}

/** SQLSTATE of a database that does not exist. */
const unknownDatabase = "3D000";
const tooManyConnections = "53300";
const cannotConnectNow = "57P03";
/** Insufficient privilege, invalid authorization and invalid password, as SQLSTATE. */
const denied = new Set(["42501", "28000", "28P01"]);
/** The function of PostgreSQL that applies pg_hba.conf. Its texts may be in any language. */
const accessCheck = "ClientAuthentication";
/** What servers, poolers and hosting providers say to a connection without TLS. */
const aboutTls = /\b(?:SSL|TLS)\b|no encryption|insecure/;

/** Names the address without its user and password. */
export function toConnectError(url: string, error: unknown): Error {
  if (error instanceof UnusablePostgresError) return error;
  const { kind, reason = reasonOf(error as Error), advice } = causeOf(error as Error, url);
  const verb = kind === "no_permission" ? "denies access" : "cannot be used";
  const text = `PostgreSQL at ${addressOf(url)} ${verb}: ${reason}; ${advice}`;
  return kind ? new UnusablePostgresError(kind, text, { cause: error }) : new Error(text, { cause: error });
}

function addressOf(url: string): string {
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: "", pathname: "" };
  return host === "" ? "the given address" : `postgres://${host}${pathname}`;
}

function causeOf(error: Error, url: string): Cause {
  if (error instanceof pg.DatabaseError) return causeOfAnswer(error, usesTls(url));
  return causeOfTls(error) ?? causeOfDriver(error);
}

function causeOfAnswer({ code = "", routine, message }: pg.DatabaseError, isEncrypted: boolean): Cause {
  if (!isEncrypted && aboutTls.test(message) && (denied.has(code) || code.startsWith("08"))) {
    const other = routine === accessCheck ? ", or let pg_hba.conf accept this account without TLS" : "";
    return { kind: "tls", advice: `if it requires TLS, add sslmode=verify-full to the URL${other}` };
  }
  if (routine === accessCheck) {
    const mode = isEncrypted ? "remove sslmode if it accepts this account only without TLS" : "add sslmode=verify-full";
    const advice = `add a line to its pg_hba.conf for this account and machine, or ${mode}`;
    return { kind: "no_permission", advice };
  }
  if (denied.has(code)) {
    const advice = 'check the user and password in its URL, and the rights to the schema "lethe"';
    return { kind: "no_permission", advice };
  }
  if (code === unknownDatabase) return { kind: "no_database", advice: "create it, or correct its name in the URL" };
  if (code === tooManyConnections) {
    return {
      advice: "raise max_connections, or the CONNECTION LIMIT of the account or database, or close other connections",
    };
  }
  if (code === cannotConnectNow) return { advice: "start again when it accepts connections" };
  return {
    advice: message.includes("unsupported startup parameter")
      ? `a pooler such as PgBouncer needs session mode, and ignore_startup_parameters = ${sessionParameters.join(", ")}`
      : "its log may say more",
  };
}

/** Codes of Node for a certificate whose authority is not known. */
const untrusted = /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_UNTRUSTED)/;

/** PostgreSQL has answered, and its certificate or its lack of TLS ends the connection. */
function causeOfTls(error: Error): Cause | undefined {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (/does not support SSL/.test(error.message)) {
    const reason = "it offers no TLS, which its URL (or PGSSLMODE) asks for";
    return { kind: "tls", reason, advice: "turn on TLS there (ssl = on), or remove sslmode from the URL" };
  }
  if (untrusted.test(code)) {
    // Node 24 adds advice about a flag of its own.
    const [reason = ""] = error.message.split(";");
    const advice =
      "name the authority of its certificate with sslrootcert=FILE in the URL; sslmode=no-verify would encrypt without a check";
    return { kind: "tls", reason, advice };
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return { kind: "tls", advice: "write a host in the URL that its certificate names, or replace the certificate" };
  }
  if (/^(?:CERT_|ERR_SSL_|ERR_TLS_|EPROTO)/.test(code)) {
    return { kind: "tls", advice: "check its certificate, and the sslmode of the URL" };
  }
  return undefined;
}

function causeOfDriver(error: Error): Cause {
  const { syscall } = error as NodeJS.ErrnoException;
  if (syscall === "open" || syscall === "read") return { advice: "correct sslrootcert, sslcert or sslkey in the URL" };
  if (/client password must be a/.test(error.message)) {
    const reason = "it asks for a password, and its URL has none";
    return { kind: "no_permission", reason, advice: "add the password to the URL, or set PGPASSWORD" };
  }
  return { advice: "check that it runs and that its URL is correct" };
}

/** The driver decides it by the URL and by PGSSLMODE. It connects only when it is asked to. */
function usesTls(url: string): boolean {
  return Boolean(new pg.Client(toDriverConfig(url, 0)).ssl);
}
