// The sessions that one call has opened. They are written when its handler has returned.
import type { CallToolResult, JsonObject } from "@lethe/protocol";
import type { SessionDefinition } from "./session.ts";
import { type SessionCall, SessionInCall } from "./session-in-call.ts";
import type { SessionParts } from "./session-parts.ts";

/** In the `_meta` of a result: the handles that the model passes to later calls, by argument. */
const handlesMetaKey = "lethe/session_handles";

export class CallSessions {
  readonly #parts: SessionParts;
  readonly #call: SessionCall;
  readonly #declared: readonly SessionDefinition[];
  readonly #open = new Map<SessionDefinition, Promise<SessionInCall>>();

  constructor(parts: SessionParts, call: SessionCall, declared: readonly SessionDefinition[]) {
    this.#parts = parts;
    this.#call = call;
    this.#declared = declared;
  }

  /** Rejects with a ToolError for a handle that leads to no session. */
  open(session: SessionDefinition): Promise<SessionInCall> {
    if (!this.#declared.includes(session)) {
      const name = JSON.stringify(session.name);
      return Promise.reject(new Error(`session ${name} is not declared: list it in the option "sessions" of the tool`));
    }
    let opening = this.#open.get(session);
    if (!opening) {
      opening = SessionInCall.begin(this.#parts, session, this.#call);
      this.#open.set(session, opening);
    }
    return opening;
  }

  /** Writes all changes, and adds the handles to the result. Rejects with a ToolError if another call has changed a session. */
  async finish(result: CallToolResult): Promise<CallToolResult> {
    if (result.isError === true) return result;
    const handles: JsonObject = {};
    for (const opening of this.#open.values()) {
      const { session, handle } = await (await opening).write();
      if (handle !== undefined && session.handleName !== undefined) handles[session.handleName] = handle;
    }
    const names = Object.keys(handles);
    if (names.length === 0) return result;
    const text = names.map((name) => `${name}: ${handles[name]}`).join("\n");
    const hint = `${text}\nPass ${names.join(" and ")} unchanged to later calls to continue.`;
    const _meta = { ...result._meta, [handlesMetaKey]: handles };
    return { ...result, content: [...result.content, { type: "text", text: hint }], _meta };
  }
}
