import { expect, it } from "vitest";
import { withPrompt } from "../terminal/prompt.ts";
import { createStyle } from "../terminal/style.ts";
import { createFakeTerminal } from "../testing/fake-terminal.ts";
import { askUrl } from "./ask-url.ts";

const { signal } = new AbortController();

async function consent(url: string, lines: string[], hasBrowser = true) {
  const terminal = createFakeTerminal(lines);
  const opened: string[] = [];
  const open = async ({ href }: URL) => {
    opened.push(href);
    return hasBrowser;
  };
  const params = { mode: "url" as const, message: "Please pay.", url };
  const result = await withPrompt(terminal, signal, (prompt) => askUrl(prompt, params, createStyle({}), open)).catch(
    ({ action }: { action: string }) => action,
  );
  return { result, opened, shown: terminal.shown() };
}

it("a URL is shown in full and opened only after an explicit yes (E-91)", async () => {
  const url = "https://pay.example/a?b=c#d";
  const { result, opened, shown } = await consent(url, ["", "y", ""]);
  expect(result).toEqual({ action: "accept" });
  expect(opened).toEqual([url]);
  expect(shown).toContain(`  ${url}\n`);
  expect(shown.match(/Open this page of pay\.example\?/g)).toHaveLength(2);
});

it.each([
  ["no", "decline"],
  ["c", "cancel"],
])("%s does not open the URL", async (word, action) => {
  expect(await consent("https://pay.example/", [word])).toMatchObject({ result: action, opened: [] });
});

it("misleading host names cause a warning", async () => {
  const { shown } = await consent("https://bank.example@xn--80ak6aa92e.example/", ["n"]);
  expect(shown).toContain("letters that may look like others");
  expect(shown).toContain("The text before the @ is not the host");
});

it("without a browser, the command asks the user to open the page", async () => {
  const { result, shown } = await consent("https://pay.example/", ["y", ""], false);
  expect(result).toEqual({ action: "accept" });
  expect(shown).toContain("open the page yourself");
});
