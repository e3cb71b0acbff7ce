// A word of the command line that must be the URL of a server.
import { CommandError } from "../exit-code.ts";

/** Whether somebody meant an address by it, right or wrong. */
export function isHttpUrl(word: string): boolean {
  return /^https?:/i.test(word);
}

/** Throws CommandError, with what was probably meant; where that cannot be told, with `hint`. */
export function requireServerUrl(word: string, hint = ""): void {
  const url = URL.canParse(word) ? new URL(word) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") {
    requireNoCredentials(url);
    return;
  }
  const guess = guessUrl(word);
  throw new CommandError(`"${word}" is no http or https URL${guess === undefined ? hint : `; did you mean ${guess}?`}`);
}

/** They are not told again: a terminal may be logged, too. */
function requireNoCredentials({ username, password, host }: URL): void {
  if (username === "" && password === "") return;
  throw new CommandError(
    `credentials in a URL end up in logs, and are not sent: give the URL of ${host} without them, and --header 'Authorization: …'`,
  );
}

/** "localhost:3000", "example.com/mcp": an address whose scheme was forgotten. */
function guessUrl(word: string): string | undefined {
  const isAddress = /^(?:localhost(?=[:/]|$)|(?:[\w-]+\.)+[\w-]+(?=[:/])|[\w-]+(?=:\d))(?::\d{1,5})?(?:\/.*)?$/i.test(
    word,
  );
  const scheme = /^(?:localhost|127\.|[\w-]+:)/.test(word) ? "http" : "https";
  return isAddress ? `${scheme}://${word}` : undefined;
}
