// Loads the HTTP/1.1 client of undici with the first request. The whole package takes four times as long to load.
/// <reference path="./undici-modules.d.ts" />

export interface Undici {
  /** One connection to one origin. */
  readonly Client: typeof import("undici").Client;
  /** Opens sockets, with TLS where the URL requires it. */
  readonly buildConnector: typeof import("undici").buildConnector;
}

let loaded: Undici | undefined;

/** Undefined before the first `loadUndici` has resolved. */
export function loadedUndici(): Undici | undefined {
  return loaded;
}

export async function loadUndici(): Promise<Undici> {
  const [client, connect] = await Promise.all([
    import("undici/lib/dispatcher/client.js"),
    import("undici/lib/core/connect.js"),
  ]);
  loaded = { Client: client.default, buildConnector: connect.default };
  return loaded;
}
