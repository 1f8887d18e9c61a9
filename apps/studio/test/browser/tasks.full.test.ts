import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasChromium } from "@toolweave/test-support/chromium";
import { makeTools, makeApprovals } from "../support/fake-data.ts";
import { goTo } from "../support/page-driver.ts";
import { startStudioBrowser, type StudioBrowser } from "../support/studio-browser.ts";

const tools = makeTools(10_000);

describe.skipIf(!hasChromium)("a person (needs chromium)", () => {
  let studio: StudioBrowser;
  let page: Page;
  beforeAll(async () => {
    studio = await startStudioBrowser({ tools });
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

  /** Enters the arguments of a call as JSON. */
  async function fillJson(text: string): Promise<void> {
    const view = page.getByRole("button", { name: "JSON", exact: true });
    if ((await view.getAttribute("aria-pressed")) !== "true") await view.click();
    await page.fill(".schema-form textarea", text);
  }

  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");

  test("opens the link once: the code leaves the address, and a reload keeps the session", async () => {
    expect(page.url()).toBe(`${studio.server.url}/`);
    await page.reload();
    await page.waitForSelector("main h1");
    expect(await page.textContent("main h1")).toBe("Overview");
    const stored = await page.evaluate(() => [
      Object.keys(localStorage),
      Object.keys(sessionStorage),
    ]);
    expect(stored).toEqual([[], ["toolweave.session"]]);
  });

  test("reads which option attaches an audit, and nothing is requested without one", async () => {
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await page.route("**/api/status", async (route) => {
      const response = await route.fetch();
      const status = (await response.json()) as { stores: object };
      const stores = { ...status.stores, audit: false, lock: false };
      await route.fulfill({ response, json: { ...status, stores } });
    });
    await page.reload();
    await page.waitForSelector("main h1");
    await goTo(page, "/audit");
    await page.getByText("toolweave studio --audit FILE").waitFor();
    await goTo(page, "/lock");
    await page.getByText("toolweave studio --lock-file FILE").waitFor();
    expect(requests).toContain("/api/status");
    expect(requests.filter((path) => /audit|lock/.test(path) && path.startsWith("/api/"))).toEqual(
      [],
    );
  });

  test("reads in the audit who called, who answered and why, and sees the decisions of one person", async () => {
    await goTo(page, "/audit");
    const row = page.locator(".audit-row").first();
    await row.waitFor();
    expect(await row.textContent()).toContain("jo (via desk)");
    expect(await row.textContent()).toContain("Orders are closed in December.");
    await page.fill("[data-search]", "acme/kim");
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".audit-row")].every((one) =>
        one.textContent?.includes("acme/kim"),
      ),
    );
    await page.fill("[data-search]", "mallory");
    await page.getByText("No decision matches").waitFor();
  });

  test("reads that a value is required only after its field was left", async () => {
    await goTo(page, "/tools");
    const checked = page.waitForResponse((response) => response.url().endsWith("/check"));
    await page.locator(".tool-row").first().click();
    const field = page.locator('.schema-form input[id$="-control"]').first();
    await field.waitFor();
    const required = page.locator(".schema-form .form-error", { hasText: "required" });
    await (await checked).finished();
    // The page has displayed the response after the next frames.
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 0)));
        }),
    );
    expect(await required.count()).toBe(0);
    await field.focus();
    await page.keyboard.press("Tab");
    await required.first().waitFor();
  });

  test("finds a tool by keyboard alone, calls it and reads the result", async () => {
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.waitForSelector(".tool-rows");
    await page.keyboard.press("/");
    await page.keyboard.type("delete invoice");
    await page.waitForFunction(() => document.querySelectorAll(".tool-row").length > 5);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("j");
    const row = await focused();
    expect(row).toContain("delete_invoice");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[role=tabpanel]");
    expect(page.url()).toContain("_delete_invoice_");
    await page.getByRole("textbox", { name: "id" }).focus();
    await page.keyboard.type("9007199254740993");
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.waitForSelector(".outcome");
    expect(await page.textContent(".call-status")).toContain("completed");
    expect(await page.textContent(".outcome")).toContain("deleted");
    // The image is displayed from a blob, and the address of a link is in view.
    await page.waitForSelector(".outcome img[src^='blob:']");
    expect(await page.textContent(".external")).toContain("billing.example.com");
    expect(await page.textContent("[role=status]")).toContain("completed");
  });

  test("reads all digits of an integer beyond 2^53 in the result of a run", async () => {
    await page.route(/\/api\/runs\/run_1(?:\/spans\/.*)?(?:\?.*)?$/, async (route) => {
      const response = await route.fetch();
      const text = (await response.text()).replaceAll(
        '"output":',
        '"output":{"id":12345678901234567890},"_":',
      );
      await route.fulfill({ response, body: text });
    });
    await goTo(page, "/runs/run_1");
    await page.locator(".waterfall [data-row]").first().click();
    const output = page.locator(".span-details .json-rows").last();
    await output.waitFor();
    expect(await output.textContent()).toContain("12345678901234567890");
  });

  test("has only the visible rows of 10,000 tools in the document", async () => {
    await goTo(page, "/tools");
    await page.waitForSelector(".tool-row");
    const first = await page.evaluate(() => ({
      nodes: document.querySelectorAll("*").length,
      size: document.querySelector("[aria-setsize]")?.getAttribute("aria-setsize"),
    }));
    expect(first.nodes).toBeLessThan(1500);
    expect(first.size).toBe("10000");
    await page.focus(".tool-row");
    await page.keyboard.press("End");
    await page.waitForSelector("[aria-posinset='10000']");
    expect(await focused()).toContain(tools.at(-1)?.name);
  });

  test("cancels a call, and sees its progress and partial results until then", async () => {
    await goTo(page, `/tools/${tools[0]?.name}`);
    await fillJson('{"id": 1, "slow": true}');
    await page.click(".call-bar .primary");
    await page.waitForSelector("progress");
    expect(await page.textContent(".progress")).toContain("3 of 10");
    expect(await page.textContent(".call-result")).toContain("copied");
    await page.click(".call-bar .button");
    await page.waitForFunction(
      () => document.querySelector(".call-status")?.textContent?.includes("cancelled") === true,
    );
  });

  test("reads the problems of arguments before the call is sent", async () => {
    await goTo(page, `/tools/${tools[1]?.name}`);
    await fillJson('{"id": "one"}');
    await page.waitForSelector("text=Call anyway");
    await page.click(".call-bar .primary");
    await page.waitForSelector(".form-summary");
    expect(await page.textContent(".form-summary")).toContain("must be an integer");
    await fillJson('{"id": ');
    await page.click(".call-bar .primary");
    expect(await page.locator(".call-result").count()).toBe(0);
    // A draft survives a visit to another screen, whether it is JSON or not.
    await goTo(page, "/runs");
    await goTo(page, `/tools/${tools[1]?.name}`);
    await page.getByRole("button", { name: "JSON", exact: true }).click();
    expect(await page.inputValue(".schema-form textarea")).toBe('{"id": ');
  });

  test("decides with the digest of what is displayed, by keys that move the focus and press nothing", async () => {
    await goTo(page, "/approvals/apr_0");
    const approve = page.locator("[data-decision=approve]");
    await approve.waitFor();
    // A press before the buttons are armed does nothing: without the focus of the window, they are not.
    await page.evaluate(() => {
      document.hasFocus = () => false;
      dispatchEvent(new Event("blur"));
    });
    await page.keyboard.press("a");
    expect(await approve.evaluate((button) => button === document.activeElement)).toBe(true);
    await approve.click({ force: true });
    expect(studio.server.answers).toHaveLength(0);
    await page.evaluate(() => {
      document.hasFocus = () => true;
      dispatchEvent(new Event("focus"));
    });
    await page.waitForSelector("[data-decision=approve][aria-disabled=false]");
    await page.click("text=Until revoked, with any arguments");
    expect(await page.textContent(".stored-grant")).toContain("any arguments run without asking");
    await page.keyboard.press("Tab");
    await approve.click();
    await page.waitForSelector(".approval-card .notice.good");
    expect(studio.server.answers).toEqual([
      {
        id: "apr_0",
        body: {
          digest: "digest-0",
          answers: [
            { type: "approve", requestId: "req_1", grant: { scope: "always", arguments: "any" } },
          ],
        },
      },
    ]);
  });

  test("sees edited arguments as differences, and approves them", async () => {
    const [approval] = makeApprovals(tools);
    if (approval === undefined) throw new Error("There is no approval.");
    studio.server.addApproval({ ...approval, id: "apr_edit", digest: "digest-edit" });
    await goTo(page, "/approvals/apr_edit");
    await page.click("text=Edit");
    await page.fill("[aria-label='Edited arguments']", '{"id": 4712}');
    expect(await page.textContent(".changes")).toContain("4712");
    await page.waitForSelector("[data-decision=approve][aria-disabled=false]");
    await page.click("[data-decision=approve]");
    await page.waitForSelector(".approval-card .notice.good");
    expect(studio.server.answers.at(-1)?.body).toMatchObject({
      answers: [{ arguments: { id: 4712 } }],
    });
  });

  test("cannot approve what has changed since it was displayed without reading it again", async () => {
    const [approval] = makeApprovals(tools);
    if (approval === undefined) throw new Error("There is no approval.");
    studio.server.addApproval({ ...approval, id: "apr_change", digest: "digest-1" });
    await goTo(page, "/approvals/apr_change");
    await page.waitForSelector("[data-decision=approve][aria-disabled=false]");
    studio.server.changeApproval("apr_change", { digest: "digest-2" });
    await page.waitForSelector("text=has changed since it was displayed");
    await page.locator("[data-decision=approve]").click({ force: true });
    await page.click("text=I have read it");
    await page.waitForSelector("[data-decision=approve][aria-disabled=false]");
    const before = studio.server.answers.length;
    await page.click("[data-decision=approve]");
    await page.waitForSelector(".approval-card .notice.good");
    expect(studio.server.answers).toHaveLength(before + 1);
    expect(studio.server.answers.at(-1)?.body).toMatchObject({ digest: "digest-2" });
  });

  test("sees new approvals as a number: the list does not move until they are asked for", async () => {
    await goTo(page, "/approvals");
    const rows = () => page.locator(".approval-row").count();
    await page.waitForSelector(".approval-row");
    const before = await rows();
    const [approval] = makeApprovals(tools);
    if (approval === undefined) throw new Error("There is no approval.");
    studio.server.addApproval({ ...approval, id: "apr_new", digest: "digest-new" });
    await page.waitForSelector("text=1 new");
    expect(await rows()).toBe(before);
    await page.click("text=1 new");
    expect(await rows()).toBe(before + 1);
  });

  test("opens anything by the palette; the focus returns where it was", async () => {
    await page.focus("a[href='/sources']");
    await page.keyboard.press("ControlOrMeta+k");
    await page.waitForSelector(".palette-input:focus");
    await page.keyboard.type("audit");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".palette-input", { state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.getAttribute("href"))).toBe(
      "/sources",
    );
    await page.keyboard.press("ControlOrMeta+k");
    await page.waitForSelector(".palette-input:focus");
    await page.keyboard.type("audit");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("main h1")?.textContent === "Audit");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  });

  test("can turn the shortcuts of single keys off", async () => {
    await page.keyboard.press("?");
    await page.waitForFunction(() =>
      document.querySelector("main h1")?.textContent?.includes("Keyboard"),
    );
    await page.click("text=Shortcuts of a single key");
    await page.focus("main");
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    expect(page.url()).toMatch(/\/help$/);
    await page.keyboard.press("ControlOrMeta+k");
    await page.waitForSelector("dialog[open]");
  });

  test("ends the session: the token no longer works", async () => {
    const token = await page.evaluate(
      () => JSON.parse(sessionStorage.getItem("toolweave.session") ?? "{}").token as string,
    );
    await page.keyboard.press("ControlOrMeta+k");
    await page.waitForSelector(".palette-input:focus");
    await page.keyboard.type("end this session");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".session-ended");
    const { status } = await fetch(`${studio.server.url}/api/status`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(status).toBe(401);
  });

  test("reads that the session has ended, and what to do", async () => {
    studio.server.endSessions();
    await page.click("a[href='/problems'].nav-link");
    await page.waitForSelector(".session-ended");
    expect(await page.textContent(".session-ended")).toContain("toolweave studio");
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    // The refused requests are errors of the console.
    expect(studio.takeFaults().every((fault) => fault.includes("401"))).toBe(true);
  });
});
