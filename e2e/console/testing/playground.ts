// Steps in the playground.
import type { Locator, Page } from "playwright-core";
import type { ConsolePage } from "./console-page.ts";

/** Of the server "everything". */
export const elicitingTool = "everything__trigger-elicitation-request";

export function openTool({ open }: ConsolePage, name: string): Promise<unknown> {
  return open(`/playground?kind=tools&item=${name}`);
}

export const callButton = (page: Page): Locator => page.getByRole("button", { name: "Call", exact: true });

/** The form of the input request that waits. */
export const askedForm = (page: Page): Locator => page.getByRole("region", { name: "The server asks" });

/** The cards of the latest calls. */
export const results = (page: Page): Locator => page.getByRole("region", { name: /^Result of/ });

/** Answers the elicitation of the server "everything". */
export async function answerWithName(form: Locator, name: string): Promise<void> {
  await form.getByLabel("String required", { exact: true }).fill(name);
  await form.getByRole("button", { name: "Send answer" }).click();
}
