// URL elicitation in the terminal (E-91): shows the whole URL, and opens it in the user's browser only with consent.
import { openBrowser } from "@lethe/client/node";
import type { ElicitResult, ElicitUrlParams } from "@lethe/protocol";
import { toPrintable } from "../terminal/printable.ts";
import { type Prompt, Refusal } from "../terminal/prompt.ts";
import type { Style } from "../terminal/style.ts";

/** Resolves when the user confirms that the page is completed. Rejects with Refusal. */
export async function askUrl(
  prompt: Prompt,
  { message, url }: ElicitUrlParams,
  style: Style,
  open: (url: URL) => Promise<boolean> = openBrowser,
): Promise<ElicitResult> {
  const page = new URL(url);
  prompt.write(`${toPrintable(message)}\n\n  ${toMarkedUrl(page, style)}\n\n`);
  for (const warning of warningsOf(page)) prompt.write(`${style.yellow("!")} ${warning}\n`);
  await askConsent(prompt, `Open this page of ${page.host}? (y)es, (d)ecline, (c)ancel: `);
  if (!(await open(page))) prompt.write("No browser could be started: open the page yourself.\n");
  await prompt.ask("Press Enter when you are done there. ");
  return { action: "accept" };
}

/** Prompts again after an empty line, because it is no consent. */
async function askConsent(prompt: Prompt, question: string): Promise<void> {
  for (;;) {
    const text = (await prompt.ask(question)).toLowerCase();
    if (text === "y" || text === "yes") return;
    if (text === "d" || text === "decline" || text === "n" || text === "no") throw new Refusal("decline");
    if (text === "c" || text === "cancel") throw new Refusal("cancel");
  }
}

function toMarkedUrl({ protocol, username, password, host, pathname, search, hash }: URL, style: Style): string {
  const user = username === "" && password === "" ? "" : `${username}:${password}@`;
  return `${protocol}//${user}${style.bold(host)}${pathname}${search}${hash}`;
}

function warningsOf(page: URL): string[] {
  const warnings: string[] = [];
  if (page.hostname.includes("xn--")) warnings.push("The host name contains letters that may look like others.");
  if (page.username !== "" || page.password !== "") {
    warnings.push(`The text before the @ is not the host: the page belongs to ${page.host}.`);
  }
  return warnings;
}
