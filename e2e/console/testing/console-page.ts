// The console of one gateway for the tests of a file: one browser, and a page for each test that must cause no fault.
import { join } from "node:path";
import type { Browser, Page, Response } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { type RunningGateway, root, startGateway } from "../../processes/lethe.ts";
import { openBrowser, openPage, type WatchedPage } from "./browser.ts";

/** The configuration of `npm start`. */
export const exampleFleet: string = join(root, "examples/gateway/servers.json");

/** How long a page may take on a busy machine. */
export const waitMs = 30_000;

export interface ConsolePage {
  readonly browser: Browser;
  readonly gateway: RunningGateway;
  /** Of the gateway, without a trailing slash. */
  readonly origin: string;
  readonly page: Page;
  /** See WatchedPage. A test that expects one removes it. */
  readonly faults: string[];
  /** Opens a path below /console. */
  open(path: string): Promise<Response | null>;
}

/** Registers hooks. `start` is called once. */
export function useConsole(start: () => Promise<RunningGateway> = () => startGateway(exampleFleet)): ConsolePage {
  let browser: Browser;
  let gateway: RunningGateway;
  let watched: WatchedPage;

  beforeAll(async () => {
    [browser, gateway] = await Promise.all([openBrowser(), start()]);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });
  beforeEach(async () => {
    watched = await openPage(browser, originOf(gateway));
    watched.page.setDefaultTimeout(waitMs);
  });
  afterEach(async () => {
    await watched.page.context().close();
    expect(watched.faults).toEqual([]);
  });

  return {
    get browser() {
      return browser;
    },
    get gateway() {
      return gateway;
    },
    get origin() {
      return originOf(gateway);
    },
    get page() {
      return watched.page;
    },
    get faults() {
      return watched.faults;
    },
    open: (path) => watched.page.goto(`${originOf(gateway)}/console${path}`),
  };
}

/** Repeats `read` until the matcher accepts what it returns. */
export const poll = (read: () => unknown) => expect.poll(read, { timeout: waitMs });

function originOf({ url }: RunningGateway): string {
  return new URL(url).origin;
}
