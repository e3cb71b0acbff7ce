// Runs `lethe bridge`: connects to the remote server and serves it on stdin and stdout.
import { isTransportError } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { toCallerError } from "@lethe/gateway";
import { clientCapabilitiesOf, type Dispatch } from "@lethe/protocol";
import { createLegacyEdge } from "@lethe/server/edge";
import { serveStdio } from "@lethe/server/node";
import { createKeyRing } from "@lethe/server/stores";
import { toPrintable } from "../terminal/printable.ts";
import { createStyle } from "../terminal/style.ts";
import { withLastingSubscriptions } from "./lasting-subscriptions.ts";
import { type LoginOptions, toAuthorization } from "./login.ts";
import { toCommandError } from "./reach.ts";
import { requireServerUrl } from "./server-url.ts";

const info = { name: "lethe-bridge", version: "0.1.0" };

/** Runs until stdin or the connection ends. Rejects with CommandError. */
export async function runBridge(url: string, options: LoginOptions): Promise<void> {
  requireServerUrl(url);
  const style = createStyle(process.stderr);
  const tell = createTeller((message) => void process.stderr.write(`${style.yellow("!")} ${toPrintable(message)}\n`));
  try {
    const client = await connect(url, {
      ...toAuthorization(url, options, process.env),
      // Each request declares the capabilities of the client over stdio.
      capabilities: { elicitation: { form: {}, url: {} }, sampling: { context: {}, tools: {} }, roots: {} },
      onWarning: tell,
    });
    const { closed } = client.connection;
    const dispatch = withLastingSubscriptions(withFailures(client.connection.dispatch, url, tell));
    // Notifications of extensions go to the remote server.
    const takesNotifications = true;
    const legacy = createLegacyEdge({ dispatch, info, ring: createKeyRing(), takesNotifications });
    const ended = new AbortController();
    void closed.then(() => ended.abort());
    try {
      await serveStdio({ dispatch, info, legacy, takesNotifications }, { signal: ended.signal });
    } finally {
      await client.close();
    }
  } catch (error) {
    throw toCommandError(error, url);
  }
}

/** Sends the failure to the client and writes its details to stderr, which clients log. */
function withFailures(dispatch: Dispatch, url: string, tell: (message: string) => void): Dispatch {
  return async (request, exchange) => {
    try {
      return await dispatch(request, exchange);
    } catch (error) {
      if (isTransportError(error) && error.reason !== "cancelled") tell(error.message);
      throw toCallerError(url, error, clientCapabilitiesOf(request));
    }
  };
}

/** Skips a message that repeats the previous one, because an unreachable server fails every request alike. */
function createTeller(write: (message: string) => void): (message: string) => void {
  let last = "";
  return (message) => {
    if (message !== last) write(message);
    last = message;
  };
}
