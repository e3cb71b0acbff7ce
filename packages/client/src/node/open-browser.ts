// Opens a URL in the user's browser (G-50): only safe URLs, and never through a shell.
import { spawn } from "node:child_process";
import { parseSecureUrl } from "../auth/secure-url.ts";

/**
 * Opens a URL in the user's browser. Resolves to false if no browser could be started. Rejects with AuthorizationError "insecure_url" for a
 * URL that is neither https nor http to a loopback address.
 *
 * @example
 * import { openBrowser } from "@lethe/client/node";
 *
 * const refused = await openBrowser(new URL("file:///etc/passwd")).catch((error) => error.code);
 * console.log(refused); // insecure_url
 */
export async function openBrowser(url: URL): Promise<boolean> {
  const { command, args } = browserCommand(process.platform, parseSecureUrl(url.href, "a URL to open").href);
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: "ignore", detached: true, shell: false });
    child.on("error", () => resolve(false));
    child.on("spawn", () => resolve(true));
    child.unref();
  });
}

export function browserCommand(platform: NodeJS.Platform, url: string): { command: string; args: string[] } {
  if (platform === "darwin") return { command: "open", args: [url] };
  // `start` exists only inside a shell, which would interpret the URL.
  if (platform === "win32") return { command: "rundll32", args: ["url.dll,FileProtocolHandler", url] };
  return { command: "xdg-open", args: [url] };
}
