import { hasChromium } from "@toolweave/test-support/chromium";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPetShop, type PetShop } from "./support/pet-shop.ts";
import { goTo } from "../../studio/test/support/page-driver.ts";
import { startBrowsedStudio, type BrowsedStudio } from "./support/studio-browser.ts";

describe.skipIf(!hasChromium)("Studio in a browser (needs chromium)", () => {
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

  test("the link opens the overview; the code works once and leaves the address", async () => {
    expect(page.url()).toBe(`${studio.url}/`);
    expect(await page.textContent("main h1")).toBe("Overview");
    expect(await page.textContent("main")).toContain(shop.documentUrl);
    const other = await page.context().newPage();
    await other.goto(studio.studio.link);
    await other.waitForSelector(".session-ended");
    expect(await other.textContent(".session-ended")).toContain("was used before");
    await other.close();
  });

  test("a person finds a tool, fills its form, calls it and reads the result", async () => {
    await page.click("a.nav-link[href='/tools']");
    await page.fill("[data-search]", "get pet");
    await page.click(".tool-row:has-text('get_pet')");
    await page.getByRole("textbox", { name: "id" }).fill("7");
    await page.click(".call-bar .primary");
    await page.waitForSelector(".outcome");
    expect(await page.textContent(".call-status")).toContain("completed");
    expect(await page.textContent(".outcome")).toContain("/pets/7");
    expect(shop.requests.at(-1)?.url).toBe("/pets/7");
  });

  test("the search of models lists what a model finds, with scores", async () => {
    await goTo(page, "/tools?find=model");
    await page.fill("[data-search]", "delete a pet");
    await page.waitForSelector(".hits");
    expect(await page.textContent(".hit >> nth=0")).toMatch(/^1\w+_pet.*Score \d+\.\d\d$/);
  });

  test("a call that asks is edited, approved in its card, and runs once", async () => {
    const before = shop.requests.length;
    await goTo(page, "/tools/add_pet");
    await page.getByRole("textbox", { name: "name", exact: true }).first().fill("Rex");
    await page.click(".call-bar .primary");
    await page.waitForSelector(".approval-card");
    expect(await page.textContent(".approval-card")).toContain("POST");
    await page.click(".approval-card >> text=Edit");
    await page.fill("[aria-label='Edited arguments']", '{"name": "Max"}');
    const changes = await page.textContent(".changes");
    expect(changes).toContain("Rex");
    expect(changes).toContain("Max");
    expect(shop.requests).toHaveLength(before);
    await page.click("[data-decision=approve][aria-disabled=false]");
    await page.waitForSelector(".outcome");
    expect(await page.textContent(".outcome")).toContain("Max");
    expect(shop.requests.slice(before)).toMatchObject([{ method: "POST", body: '{"name":"Max"}' }]);
  });

  test("the run of the call has a waterfall with the wait for the person", async () => {
    await page.click("text=Open the run");
    await page.waitForSelector(".span-row");
    const titles = await page.locator(".span-title").allTextContents();
    expect(titles).toEqual(["add_pet", "waits for a person"]);
    await page.click(".span-row >> nth=0");
    await page.waitForSelector(".span-details .json-view:has-text('Max')");
  });

  test("a call that two tabs display and approve runs once", async () => {
    const before = shop.requests.length;
    const other = await openTab(page);
    await goTo(page, "/tools/add_pet");
    await page.getByRole("textbox", { name: "name", exact: true }).first().fill("Tom");
    await page.click(".call-bar .primary");
    await page.waitForSelector(".approval-card");
    await goTo(other, "/approvals");
    await other.click(".approval-row, a[href^='/approvals/']");
    const approve = "[data-decision=approve][aria-disabled=false]";
    await Promise.all([page, other].map((tab) => tab.waitForSelector(approve)));
    // The button disappears from a tab as soon as the call has been answered in the other.
    await Promise.all([page, other].map((tab) => tab.evaluate(clickButton, approve)));
    await page.waitForSelector(".outcome");
    await other.waitForSelector(approve, { state: "detached" });
    expect(shop.requests.slice(before)).toMatchObject([{ method: "POST", body: '{"name":"Tom"}' }]);
    await other.close();
  });

  test("the token is nowhere but in sessionStorage", async () => {
    const found = await page.evaluate(() => {
      const token = (
        JSON.parse(sessionStorage.getItem("toolweave.session") ?? "{}") as { token: string }
      ).token;
      const places = {
        address: location.href,
        history: JSON.stringify(history.state),
        local: JSON.stringify({ ...localStorage }),
        cookie: document.cookie,
        document: document.documentElement.outerHTML,
      };
      return {
        token,
        in: Object.entries(places).flatMap(([name, text]) => (text.includes(token) ? [name] : [])),
      };
    });
    expect(found.token).toMatch(/^[\w-]{43}$/);
    expect(found.in).toEqual([]);
    // The response that has started the session is the only one with it.
    expect(studio.served().split(found.token)).toHaveLength(2);
    expect(studio.studio.printed()).not.toContain(found.token);
  });

  test("nothing was violated: the policy, the console, other origins", () => {
    // The code that was used before is refused, and one of two answers to a call that both tabs gave at the same time.
    const refused = /403 \(Forbidden\)|409 \(Conflict\) \S+\/api\/approvals\/\S+\/answers$/;
    expect(studio.faults.filter((fault) => !refused.test(fault))).toEqual([]);
    expect(studio.served()).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
  });
});

/** Another tab with the session of a page. */
async function openTab(page: Page): Promise<Page> {
  const session = await page.evaluate(() => sessionStorage.getItem("toolweave.session") ?? "");
  const tab = await page.context().newPage();
  await tab.addInitScript((text) => sessionStorage.setItem("toolweave.session", text), session);
  await tab.goto(new URL("/", page.url()).href);
  await tab.waitForSelector("main h1");
  return tab;
}

function clickButton(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.click();
}
