import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasChromium } from "@toolweave/test-support/chromium";
import { makeTools } from "../support/fake-data.ts";
import { goTo } from "../support/page-driver.ts";
import { startStudioBrowser, type StudioBrowser } from "../support/studio-browser.ts";

describe.skipIf(!hasChromium)("a person in the memory (needs chromium)", () => {
  let studio: StudioBrowser;
  let page: Page;
  beforeAll(async () => {
    studio = await startStudioBrowser({ tools: makeTools(10) });
  });
  afterAll(() => studio?.close());
  beforeEach(async () => {
    page = await studio.open();
  });
  afterEach(async () => {
    await page.context().close();
    const faults = studio.takeFaults();
    if (faults.length > 0) throw new Error(faults.join("\n"));
  });

  test("reads what agents remember, by keyboard alone", async () => {
    await page.keyboard.press("g");
    await page.keyboard.press("m");
    const rows = page.locator("main tbody tr");
    await rows.first().waitFor();
    expect(await rows.first().textContent()).toContain("billing-agent for maria");
    expect(await rows.count()).toBe(100);
    await page.getByRole("button", { name: "Load more" }).press("Enter");
    await rows.nth(119).waitFor();
    await page.getByRole("link", { name: "release day 0", exact: true }).press("Enter");
    await page.waitForSelector(".text-block");
    expect(page.url()).toBe(`${studio.server.url}/memory/mem_0`);
    expect(await page.textContent(".text-block")).toBe("Releases are on Tuesdays.\n");
    expect(await page.title()).toContain("Memory");
  });

  test("finds what an agent remembers by words and by its owner, by keyboard alone", async () => {
    await goTo(page, "/memory");
    const rows = page.locator("main tbody tr");
    await rows.nth(99).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("day 149");
    await page.getByRole("link", { name: "release day 149", exact: true }).waitFor();
    expect(await rows.count()).toBe(1);
    expect(await page.textContent(".screen-detail")).toContain("the best match first");
    await page.waitForURL("**/memory?q=day+149");
    await page.getByRole("link", { name: "release day 149", exact: true }).press("Enter");
    await page.waitForSelector(".text-block");
    expect(page.url()).toBe(`${studio.server.url}/memory/mem_149?q=day+149`);
    await page.reload();
    await page.waitForSelector(".text-block");
    await page.getByRole("link", { name: "All memory" }).press("Enter");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    const search = page.getByRole("searchbox", { name: "Search the memory" });
    expect(await search.inputValue()).toBe("day 149");
    await page.keyboard.press("/");
    await page.keyboard.type("day 1");
    await rows.nth(59).waitFor();
    const owner = page.getByRole("combobox", { name: "Owner" });
    expect(await owner.locator("option").allTextContents()).toEqual([
      "Owner: all",
      "no caller",
      "maria",
      "billing-agent for maria",
    ]);
    await owner.focus();
    await page.keyboard.type("bill");
    await page.waitForFunction(() => location.search.includes("billing-agent"));
    await page.waitForFunction(() => document.querySelectorAll("main tbody tr").length < 20);
    for (const text of await rows.allTextContents()) expect(text).toContain("billing-agent for");
    await search.fill("zebra");
    await page.getByText("No entry matches").waitFor();
    await page.getByRole("link", { name: "Memory", exact: true }).click();
    await rows.nth(99).waitFor();
    expect(await search.inputValue()).toBe("");
    expect(await owner.inputValue()).toBe("");
    await page.goBack();
    await page.getByText("No entry matches").waitFor();
    expect(await search.inputValue()).toBe("zebra");
  });

  test("reads that a list or a search has an end", async () => {
    await page.route("**/api/memory?*", async (route) => {
      const count = new URL(route.request().url()).searchParams.has("q") ? 100 : 1_000;
      const items = Array.from({ length: count }, (_, index) => ({
        ...{ id: `mem_${index}`, key: `key ${index}`, category: "core", bytes: 1, storedAt: 1 },
      }));
      await route.fulfill({ json: { items } });
    });
    await goTo(page, "/memory");
    const end = page.locator("main p", { hasText: "These are the" });
    await end.waitFor();
    expect(await end.textContent()).toBe(
      "These are the latest 1,000 entries. A search finds older ones.",
    );
    await page.getByRole("searchbox").fill("key");
    await page.getByText("These are the 100 best matches.").waitFor();
    expect(await end.count()).toBe(1);
  });

  test("reads how an agent gets a memory, and nothing is requested where none is attached", async () => {
    const requests: string[] = [];
    await page.route("**/api/memory*", async (route) => {
      requests.push(route.request().url());
      await route.fulfill({ json: { items: [] } });
    });
    await goTo(page, "/memory");
    await page.getByText("memory_store").waitFor();
    expect(requests.map((url) => new URL(url).pathname).toSorted()).toEqual([
      "/api/memory",
      "/api/memory-owners",
    ]);
    await page.route("**/api/status", async (route) => {
      const response = await route.fetch();
      const status = (await response.json()) as { stores: object };
      const stores = { ...status.stores, memory: false };
      await route.fulfill({ response, json: { ...status, stores } });
    });
    await page.reload();
    await page.getByText("No memory is attached").waitFor();
    expect(requests).toHaveLength(2);
  });
});
