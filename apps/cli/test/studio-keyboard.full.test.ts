import { hasChromium } from "@toolweave/test-support/chromium";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openPetShop, type PetShop } from "./support/pet-shop.ts";
import { goTo } from "../../studio/test/support/page-driver.ts";
import { startBrowsedStudio, type BrowsedStudio } from "./support/studio-browser.ts";

describe.skipIf(!hasChromium)("a person with a keyboard alone (needs chromium)", () => {
  let shop: PetShop;
  let studio: BrowsedStudio;
  let page: Page;
  beforeAll(async () => {
    shop = await openPetShop();
    studio = await startBrowsedStudio([shop.documentUrl]);
    page = await studio.openLink();
  });
  afterAll(async () => {
    await studio?.close();
    await shop.close();
  });
  beforeEach(() => goTo(page, "/"));

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };

  /** Presses Tab until the focus is on an element. */
  async function tabTo(selector: string): Promise<void> {
    for (let count = 0; count < 80; count += 1) {
      await page.keyboard.press("Tab");
      const isThere = await page.evaluate(
        (wanted) => document.activeElement?.matches(wanted) === true,
        selector,
      );
      if (isThere) return;
    }
    throw new Error(`Tab never reaches ${selector}`);
  }

  /** Opens a tool by the palette. */
  async function openTool(name: string): Promise<void> {
    await press("ControlOrMeta+k");
    await page.waitForSelector(".palette-input:focus");
    await page.keyboard.type(name);
    await page.waitForSelector(`.palette-item[aria-selected=true]:has-text("${name}")`);
    await press("Enter");
    await page.waitForSelector(`main h1:has-text("${name}")`);
  }

  test("finds a tool and opens it", async () => {
    await press("g", "t");
    await page.waitForSelector(".tool-rows");
    await press("/");
    await page.keyboard.type("delete");
    await page.waitForSelector(".tool-row:has-text('delete_pet')");
    await page.waitForFunction(() => document.querySelectorAll(".tool-row").length === 1);
    await tabTo(".tool-row");
    await press("Enter");
    await page.waitForSelector("main h1:has-text('delete_pet')");
    expect(page.url()).toContain("/tools/delete_pet");
  });

  test("fills a form and sends the call", async () => {
    await openTool("get_pet");
    await tabTo(".schema-form :is(input, textarea)");
    await page.keyboard.type("12");
    await press("ControlOrMeta+Enter");
    await page.waitForSelector(".outcome");
    expect(await page.textContent(".call-status")).toContain("completed");
    expect(shop.requests.at(-1)?.url).toBe("/pets/12");
  });

  test("approves a call", async () => {
    await openTool("delete_pet");
    await tabTo(".schema-form :is(input, textarea)");
    await page.keyboard.type("13");
    await tabTo(".call-bar .primary");
    await press("Enter");
    await page.waitForSelector(".approval-card");
    const before = shop.requests.length;
    await page.waitForSelector("[data-decision=approve][aria-disabled=false]");
    await tabTo("[data-decision=approve]");
    expect(shop.requests).toHaveLength(before);
    await press("Enter");
    await page.waitForSelector(".outcome");
    expect(shop.requests.slice(before)).toMatchObject([{ method: "DELETE", url: "/pets/13" }]);
  });

  test("approves a call from the list, where the key a moves the focus and decides nothing", async () => {
    await openTool("add_pet");
    await tabTo(".schema-form :is(input, textarea)");
    await page.keyboard.type("Rex");
    await press("ControlOrMeta+Enter");
    await page.waitForSelector(".approval-card");
    const before = shop.requests.length;
    await goTo(page, "/");
    await press("g", "a");
    await page.waitForSelector(".approval-row");
    await tabTo(".approval-row");
    await press("Enter");
    await page.waitForSelector("[data-decision=approve][aria-disabled=false]");
    await press("a");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-decision"))).toBe(
      "approve",
    );
    expect(shop.requests).toHaveLength(before);
    await press("Enter");
    await page.waitForSelector(".outcome");
    expect(shop.requests.slice(before)).toMatchObject([{ method: "POST", url: "/pets" }]);
  });

  test("reads a run", async () => {
    await press("g", "r");
    await page.waitForSelector("main table a");
    await tabTo("main table a");
    await press("Enter");
    await page.waitForSelector(".span-row");
    await tabTo(".span-row");
    await press("Enter");
    await page.waitForSelector(".span-details .json-view");
    expect(await page.textContent(".span-details")).toContain("Arguments");
  });

  test("searches the palette, and the focus returns where it was", async () => {
    await tabTo("a[href='/sources']");
    await press("ControlOrMeta+k");
    await page.waitForSelector(".palette-input:focus");
    await page.keyboard.type("list orders");
    await page.waitForSelector(".palette-item:has-text('list_orders')");
    await press("Escape");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("href"))).toBe(
      "/sources",
    );
  });

  test("explains a decision of the policy", async () => {
    await press("g", "p");
    await page.waitForSelector("[role=tab]");
    await tabTo("[role=tab]");
    await press("ArrowRight");
    await page.waitForSelector("#policy-tools", { state: "attached" });
    await tabTo("input[data-search]");
    await page.keyboard.type("delete_pet");
    await page.waitForSelector("main :text('supervised')");
    const text = await page.textContent("main");
    expect(text).toContain("asks");
  });

  test("nothing was violated on the way", () => {
    expect(studio.faults).toEqual([]);
  });
});
