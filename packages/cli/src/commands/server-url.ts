// Checks an argument of the command line that must be the URL of a server.
import { CommandError } from "../exit-code.ts";

/** True if the argument looks like an HTTP URL, valid or not. */
export function isHttpUrl(word: string): boolean {
  return /^https?:/i.test(word);
}

/** Throws CommandError with a suggested URL, or with `hint` if there is none. */
export function requireServerUrl(word: string, hint = ""): void {
  const url = URL.canParse(word) ? new URL(word) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") {
    requireNoCredentials(url);
    return;
  }
  const guess = guessUrl(word);
  throw new CommandError(
    `"${word}" is not an http or https URL${guess === undefined ? hint : `; did you mean ${guess}?`}`,
  );
}

/** The message omits the credentials, because terminals may be logged. */
function requireNoCredentials({ username, password, host }: URL): void {
  if (username === "" && password === "") return;
  throw new CommandError(
    `credentials in a URL end up in logs and are not sent: use the URL of ${host} without them, and --header 'Authorization: …'`,
  );
}

/** Adds the scheme to an address such as "localhost:3000" or "example.com/mcp". */
function guessUrl(word: string): string | undefined {
  const isAddress = /^(?:localhost(?=[:/]|$)|(?:[\w-]+\.)+[\w-]+(?=[:/])|[\w-]+(?=:\d))(?::\d{1,5})?(?:\/.*)?$/i.test(
    word,
  );
  const scheme = /^(?:localhost|127\.|[\w-]+:)/.test(word) ? "http" : "https";
  return isAddress ? `${scheme}://${word}` : undefined;
}
