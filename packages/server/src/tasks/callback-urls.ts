// The URLs of callbacks. Each contains the id of its task and the key of the callback, sealed.
import { isJsonObject, isMcpError } from "@lethe/protocol";
import { InteractionError } from "../interaction/interaction-error.ts";
import type { Binding, Seal } from "../seal/seal.ts";

/** What a URL leads to. */
export interface CallbackPlace {
  readonly taskId: string;
  readonly key: string;
}

/** No method of the protocol has this name, so that no other token opens as one of these. */
const binding: Binding = { callerId: undefined, method: "lethe/callback", target: "", arguments: "" };

export class CallbackUrls {
  /** The path before the token, with a slash at its end. */
  readonly path: string;
  readonly #base: string;
  readonly #seal: Seal;

  /** Throws an Error unless `base` is an http or https URL without query and fragment. */
  constructor(base: string, seal: Seal) {
    const url = URL.canParse(base) ? new URL(base) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "" || url.username !== "") {
      throw new Error(
        `createServer: callbackUrl: a URL such as "https://mcp.example.com/callbacks" expected, got ${JSON.stringify(base)}`,
      );
    }
    this.path = url.pathname.replace(/\/*$/, "/");
    this.#base = `${url.origin}${this.path}`;
    this.#seal = seal;
  }

  async toUrl(taskId: string, key: string): Promise<string> {
    return this.#base + (await this.#seal.seal({ taskId, key }, binding));
  }

  /** Undefined for a token that is forged, truncated or expired. */
  async open(token: string): Promise<CallbackPlace | undefined> {
    try {
      const payload = await this.#seal.open(token, binding);
      const { taskId, key } = isJsonObject(payload) ? payload : {};
      return typeof taskId === "string" && typeof key === "string" ? { taskId, key } : undefined;
    } catch (error) {
      if (isMcpError(error)) return undefined;
      throw error;
    }
  }
}

export function noCallbackUrl(): InteractionError {
  return new InteractionError(
    'ctx.callback: the server has no URL for callbacks. Set the option callbackUrl of createServer, such as "https://mcp.example.com/callbacks"',
  );
}
