// The page of a host: renders an app in a sandboxed frame with the host bridge of the official SDK, and forwards its calls to the test
// through `forwardCall`, a function that the test exposes.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

/** Resolves when the app has initialized and received the result of its tool. */
globalThis.renderApp = async ({ html, args, result }) => {
  const frame = document.createElement("iframe");
  frame.sandbox.add("allow-scripts");
  frame.width = "800";
  frame.height = "900";
  document.body.append(frame);
  const bridge = new AppBridge(
    null,
    { name: "host", version: "1.0.0" },
    { serverTools: {}, openLinks: {}, logging: {} },
  );
  const initialized = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  bridge.oncalltool = ({ name, arguments: given }) => globalThis.forwardCall({ name, arguments: given });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await initialized;
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(result);
};
