// The scenes that the screenshots show, in the order in which a user could visit them.
import { isInputRequired } from "@lethe/client";
import { connect } from "@lethe/client/node";
import type { Page } from "playwright-core";
import { answerWithName, askedForm, callButton, elicitingTool, results } from "../playground.ts";
import { type ShownDeployment, shownResource } from "./deployment.ts";

export interface Scene {
  readonly name: string;
  /** Leads the page to the scene, and resolves when it is shown. */
  show(page: Page, deployment: ShownDeployment): Promise<unknown>;
  /** Ends the call that waits in the scene: the next one of its caller waits for it. */
  leave?(page: Page, deployment: ShownDeployment): Promise<unknown>;
}

const slow = "research__trigger-long-running-operation";

async function open(page: Page, { origin }: ShownDeployment, path: string, shown: string): Promise<void> {
  await page.goto(`${origin}/console${path}`);
  await page.locator("main").getByText(shown).first().waitFor();
  await page.locator(".loading").first().waitFor({ state: "detached" });
}

async function callFromOutside({ origin, callerKey }: ShownDeployment, name: string): Promise<void> {
  const headers = { authorization: `Bearer ${callerKey}` };
  const client = await connect(`${origin}/mcp`, { headers, tasks: true, capabilities: { elicitation: { form: {} } } });
  const result = await client.callTool(name, {}, { manual: true });
  if (!isInputRequired(result)) throw new Error(`${name} did not ask`);
  await client.close();
}

/** A cancelled call costs its caller the session at the upstream. Makes the call that reports this, so that no scene does. */
async function learnOfLostSession({ origin, callerKey }: ShownDeployment): Promise<void> {
  const client = await connect(`${origin}/mcp`, { headers: { authorization: `Bearer ${callerKey}` } });
  await client.callTool("everything__echo", { message: "hello" }).catch(() => {});
  await client.close();
}

async function beginTask({ origin, callerKey }: ShownDeployment): Promise<void> {
  const headers = { authorization: `Bearer ${callerKey}` };
  const client = await connect(`${origin}/mcp`, { headers, tasks: true });
  await new Promise<void>((resolve) => {
    client.callTool(slow, { duration: 60, steps: 30 }, { onTask: () => resolve() }).catch(() => {});
  });
  await client.close();
}

async function answerInPlayground(page: Page): Promise<void> {
  await page.getByLabel("Era").selectOption({ label: "Both, to compare" });
  await callButton(page).click();
  for (let count = 0; count < 2; count += 1) {
    await answerWithName(askedForm(page).first(), "Ada Lovelace");
    await results(page).getByText("complete", { exact: true }).nth(count).waitFor();
  }
}

export const scenes: readonly Scene[] = [
  { name: "fleet", show: (page, on) => open(page, on, "/", "Upstreams") },
  { name: "upstream", show: (page, on) => open(page, on, "/upstreams/everything", "Verdict") },
  { name: "upstream-down", show: (page, on) => open(page, on, "/upstreams/billing", "Verdict") },
  {
    name: "live",
    async show(page, on) {
      await open(page, on, "/live", "tools/call");
      // Requests of the other replicas arrive within a second.
      await page.waitForTimeout(1_500);
    },
  },
  { name: "playground", show: (page, on) => open(page, on, "/playground", "Prompts") },
  {
    name: "playground-form",
    show: (page, on) => open(page, on, "/playground?kind=tools&item=memory__create_entities", "Call"),
  },
  {
    name: "playground-asked",
    async show(page, on) {
      await open(page, on, `/playground?kind=tools&item=${elicitingTool}`, "Call");
      await callButton(page).click();
      await askedForm(page).waitFor();
    },
    leave: (page) => askedForm(page).getByRole("button", { name: "Cancel" }).click(),
  },
  {
    name: "playground-result",
    async show(page, on) {
      await open(page, on, `/playground?kind=tools&item=${elicitingTool}`, "Call");
      await answerInPlayground(page);
    },
  },
  {
    name: "playground-table",
    async show(page, on) {
      await open(page, on, "/playground?kind=tools&item=tracker__list_bugs", "Call");
      await callButton(page).click();
      await results(page).getByText("complete", { exact: true }).waitFor();
    },
  },
  {
    name: "playground-resource",
    async show(page, on) {
      await open(
        page,
        on,
        `/playground?kind=resources&item=${encodeURIComponent(`everything+${shownResource}`)}`,
        "URI",
      );
      await page.getByRole("button", { name: "Read", exact: true }).click();
      await results(page).getByText("complete", { exact: true }).waitFor();
    },
  },
  {
    name: "playground-prompt",
    async show(page, on) {
      await open(page, on, "/playground?kind=prompts&item=everything__args-prompt", "Get");
      await page.getByLabel("city required").fill("London");
      await page.getByRole("button", { name: "Get", exact: true }).click();
      await results(page).getByText("complete", { exact: true }).waitFor();
    },
  },
  {
    name: "exchange",
    async show(page, on) {
      await open(page, on, "/live?q=trigger-elicitation", "tools/call");
      await page
        .getByRole("link", { name: /trigger-elicitation/ })
        .first()
        .click();
      await page.getByRole("heading", { name: "What happened" }).waitFor();
      await page.locator(".columns .cm-editor").nth(1).waitFor();
      await page.locator(".loading").first().waitFor({ state: "detached" });
    },
  },
  { name: "sessions", show: (page, on) => open(page, on, "/activity", "Used for") },
  {
    name: "pending",
    async show(page, on) {
      await callFromOutside(on, elicitingTool);
      await open(page, on, "/activity?tab=pending", "Answer");
    },
    async leave(page, on) {
      await page.getByRole("button", { name: "Cancel" }).first().click();
      await page.getByRole("button", { name: "Cancel it" }).click();
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await learnOfLostSession(on);
    },
  },
  {
    name: "answer-dialog",
    async show(page, on) {
      await callFromOutside(on, elicitingTool);
      await open(page, on, "/activity?tab=pending", "Answer");
      await page.getByRole("button", { name: "Answer" }).first().click();
      await page.getByRole("dialog").waitFor();
    },
    async leave(page) {
      await page.getByRole("dialog").getByRole("button", { name: "Decline" }).click();
      await page.getByRole("dialog").waitFor({ state: "hidden" });
    },
  },
  {
    name: "cancel-dialog",
    async show(page, on) {
      await callFromOutside(on, elicitingTool);
      await open(page, on, "/activity?tab=pending", "Answer");
      await page.getByRole("button", { name: "Cancel" }).first().click();
      await page.getByRole("dialog").waitFor();
    },
    async leave(page, on) {
      await page.getByRole("button", { name: "Cancel it" }).click();
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await learnOfLostSession(on);
    },
  },
  {
    name: "tasks",
    async show(page, on) {
      await beginTask(on);
      await open(page, on, "/activity?tab=tasks", "trigger-long-running");
    },
  },
  {
    name: "task-dialog",
    async show(page, on) {
      await beginTask(on);
      await open(page, on, "/activity?tab=tasks", "trigger-long-running");
      await page
        .getByRole("button", { name: /trigger-long/ })
        .first()
        .click();
      await page.getByRole("dialog").getByRole("listitem").nth(1).waitFor();
    },
  },
  { name: "health", show: (page, on) => open(page, on, "/health", "Limits") },
  { name: "not-found", show: (page, on) => open(page, on, "/nothing", "No such page") },
];
