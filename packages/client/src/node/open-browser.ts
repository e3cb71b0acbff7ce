// Opens a URL in the user's browser (G-50): only safe URLs, and never through a shell.
import { spawn } from "node:child_process";
import { parseSecureUrl } from "../auth/secure-url.ts";

/** Returns false if no browser could be started. Throws AuthorizationError for an unsafe URL. */
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
