// Requests to the administration interface, with the key if there is one.
import type { StoredKey } from "./stored-key.ts";

/** key: the right key is needed. forbidden: this page may not. offline: no answer. failed: an answer that is no success. */
export type AdminFailure = "key" | "forbidden" | "offline" | "failed";

export class AdminError extends Error {
  override readonly name = "AdminError";
  readonly failure: AdminFailure;

  constructor(failure: AdminFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

export interface AdminClient {
  /** Rejects with AdminError. */
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  /** Rejects with AdminError. A refused change (HTTP 422) resolves. */
  post<T>(path: string, body?: unknown): Promise<T>;
  /** Opens an event stream. Rejects with AdminError. */
  open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>;
}

/** `base` is the path of the interface, such as `/admin`. */
export function createAdminClient(base: string, key: StoredKey, send: typeof fetch = fetch): AdminClient {
  async function request(path: string, init: RequestInit): Promise<Response> {
    const token = key.get();
    const headers = { ...(init.headers as Record<string, string>), ...(token && { authorization: `Bearer ${token}` }) };
    let response: Response;
    try {
      response = await send(`${base}${path}`, { ...init, headers, cache: "no-store" });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new AdminError("offline", "the gateway does not answer");
    }
    if (response.ok || response.status === 422) return response;
    const text = (await response.text()).trim();
    throw new AdminError(failureOf(response.status), messageOf(text) || `HTTP ${response.status}`);
  }

  return {
    get: async (path, signal) => (await request(path, signal ? { signal } : {})).json(),
    async post(path, body) {
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      return (await request(path, { method: "POST", headers: { "content-type": "application/json" }, ...init })).json();
    },
    open: (path, headers, signal) => request(path, { headers: { ...headers, accept: "text/event-stream" }, signal }),
  };
}

function failureOf(status: number): AdminFailure {
  if (status === 401) return "key";
  return status === 403 ? "forbidden" : "failed";
}

/** Errors are JSON with a member `error`, or text. */
function messageOf(text: string): string {
  try {
    const { error } = JSON.parse(text);
    return typeof error === "string" ? error : (error?.message ?? text);
  } catch {
    return text;
  }
}
