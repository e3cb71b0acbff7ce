// The playground in a real browser: calls of tools in both eras, every kind of input request, prompts, resources and results.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lethe/client/node";
import { afterAll, expect, it } from "vitest";
import { startGatewayWith } from "../processes/lethe.ts";
import { violationsOf } from "./testing/browser.ts";
import { exampleFleet, poll, useConsole } from "./testing/console-page.ts";
import { answerWithName, askedForm, callButton, elicitingTool, openTool, results } from "./testing/playground.ts";

let folder: string;
const fleet = useConsole(async () => {
  // The graph of the memory server is empty there.
  folder = await mkdtemp(join(tmpdir(), "lethe-playground-"));
  return startGatewayWith({ TMPDIR: folder }, exampleFleet, "--port", "0");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("repeats a call with an elicitation in both eras, and Live shows each with both sides", async () => {
  const { page } = fleet;
  const resultIn = (revision: string) => results(page).filter({ hasText: revision });
  await openTool(fleet, elicitingTool);
  await page.getByLabel("Era").selectOption({ label: "Both, to compare" });
  await callButton(page).click();
  // One process serves both calls one after the other, in either order.
  for (let count = 0; count < 2; count += 1) {
    const form = askedForm(page).first();
    await form.waitFor();
    const isModern = (await form.getByRole("heading").textContent())?.includes("in 2026-07-28");
    await answerWithName(form, isModern ? "Ada Lovelace" : "Grace Hopper");
    await poll(() => results(page).getByText("complete", { exact: true }).count()).toBe(count + 1);
  }
  await resultIn("2026-07-28").getByText("Name: Ada Lovelace").waitFor();
  await resultIn("2025-11-25").getByText("Name: Grace Hopper").waitFor();
  expect(await violationsOf(page)).toEqual([]);

  await page.getByRole("link", { name: "Live" }).click();
  const rows = page.getByRole("row").filter({ hasText: elicitingTool });
  // The gateway repeats the call of an older client with its answer, as a client of 2026-07-28 does.
  await poll(() => rows.count()).toBe(4);
  const callers = new Set<string>();
  for (const index of [0, 1, 2, 3]) {
    await rows.nth(index).getByRole("link").click();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await page.getByText("elicitation/create").first().waitFor();
    callers.add((await page.locator(".lane-caller").textContent()) ?? "");
    expect(await page.locator(".lane-upstream").textContent()).toContain("2025-11-25");
    await page.getByRole("link", { name: "Live" }).first().click();
  }
  expect([...callers].sort()).toEqual([
    expect.stringContaining("2026-07-28"),
    expect.stringContaining("older revision"),
  ]);
});

it("offers the choices of an elicited list as checkboxes", async () => {
  const { page } = fleet;
  await openTool(fleet, elicitingTool);
  await callButton(page).click();
  const choices = askedForm(page).getByRole("group", { name: "Untitled Multiple Select Enum" });
  await choices.getByLabel("Piano").check();
  await answerWithName(askedForm(page), "Ada Lovelace");
  await results(page).getByText("complete", { exact: true }).waitFor();
  expect(await results(page).textContent()).toMatch(/Guitar[\s\S]*Piano/);
});

it("opens the page of a URL elicitation only after consent, and sends the consent", async () => {
  const { page, origin } = fleet;
  await openTool(fleet, "everything__trigger-url-elicitation");
  const target = `${origin}/healthz?from=elicitation`;
  await page.getByLabel("url required").fill(target);
  await callButton(page).click();
  const form = askedForm(page);
  await form.getByText(target).waitFor();
  expect(page.context().pages()).toHaveLength(1);
  expect(await violationsOf(page)).toEqual([]);
  const [opened] = await Promise.all([
    page.context().waitForEvent("page"),
    form.getByRole("link", { name: "Open and accept" }).click(),
  ]);
  expect(opened.url()).toBe(target);
  await results(page).getByText("complete", { exact: true }).waitFor();
  expect(await results(page).textContent()).toContain("accept");
});

it("tells the server that the user declined", async () => {
  const { page } = fleet;
  await openTool(fleet, elicitingTool);
  await callButton(page).click();
  await askedForm(page).getByRole("button", { name: "Decline" }).click();
  await results(page).getByText("complete", { exact: true }).waitFor();
  expect(await results(page).textContent()).toContain("declined");
});

it("lets the user answer a sampling request in the place of the model", async () => {
  const { page } = fleet;
  await openTool(fleet, "everything__trigger-sampling-request");
  await page.getByLabel("prompt required").fill("name a river");
  await callButton(page).click();
  const form = askedForm(page);
  await form.getByText("name a river").waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await form.getByLabel("Answer in the place of the model").fill("the Lethe");
  await form.getByRole("button", { name: "Send answer" }).click();
  await results(page).getByText("complete", { exact: true }).waitFor();
  expect(await results(page).textContent()).toContain("the Lethe");
});

it("cancels a running call, and repeats a call of the history", async () => {
  const { page } = fleet;
  await openTool(fleet, "everything__trigger-long-running-operation");
  await page.getByLabel("duration").fill("60");
  await callButton(page).click();
  await results(page)
    .getByText(/^progress/)
    .first()
    .waitFor();
  await results(page).getByRole("button", { name: "Cancel" }).click();
  await results(page).getByText("cancelled").first().waitFor();
  await page.getByRole("button", { name: "Use again" }).click();
  expect(await page.getByLabel("duration").inputValue()).toBe("60");
});

it("gets a prompt, and shows its messages", async () => {
  const { page, open } = fleet;
  await open("/playground?kind=prompts&item=everything__args-prompt");
  await page.getByLabel("city required").fill("Athens");
  await page.getByRole("button", { name: "Get", exact: true }).click();
  await results(page).getByText("Athens").waitFor();
  expect(await results(page).textContent()).toContain("user");
  expect(await violationsOf(page)).toEqual([]);
});

it("reads a resource, and reads it again when it changes", async () => {
  const { page, open, gateway } = fleet;
  await open("/playground?kind=resources&item=memory://knowledge-graph");
  await page.getByRole("button", { name: "Read", exact: true }).click();
  await results(page).getByText("complete", { exact: true }).waitFor();
  await page.getByLabel("Read again when it changes").check();
  const name = `river-${process.pid}-${Date.now()}`;
  const client = await connect(gateway.url);
  // Changes before the page has subscribed are not reported to it.
  await poll(async () => {
    const entities = [{ name: `${name}-${Date.now()}`, entityType: "river", observations: [] }];
    await client.callTool("memory__create_entities", { entities });
    return page.getByText(/^[1-9]\d* changes?$/).count();
  }).toBe(1);
  await client.close();
  await results(page).getByText(name).first().waitFor();
  expect(await violationsOf(page)).toEqual([]);
});

it("shows an image, links to resources, structured data, and the error of a tool", async () => {
  const { page } = fleet;
  await openTool(fleet, "everything__get-tiny-image");
  await callButton(page).click();
  const image = results(page).getByRole("img");
  await image.waitFor();
  await poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);

  await openTool(fleet, "everything__get-structured-content");
  await page.getByLabel("location required").selectOption("Chicago");
  await callButton(page).click();
  await results(page).getByRole("term").filter({ hasText: "temperature" }).waitFor();

  await openTool(fleet, "files__read_text_file");
  await page.getByLabel("path required").fill("/not/allowed");
  await callButton(page).click();
  await results(page).getByText("tool error", { exact: true }).waitFor();

  await openTool(fleet, "everything__get-resource-links");
  await callButton(page).click();
  await results(page).getByRole("link").first().click();
  await page.getByRole("button", { name: "Read", exact: true }).click();
  await results(page).getByText("complete", { exact: true }).waitFor();
  expect(await violationsOf(page)).toEqual([]);
});
