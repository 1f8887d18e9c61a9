import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "@toolweave/test-support/chromium";
import { makeTools } from "../support/fake-data.ts";
import { goTo } from "../support/page-driver.ts";
import { startStudioBrowser, type StudioBrowser } from "../support/studio-browser.ts";

const attack =
  "<img src=x onerror=alert(1)><script>alert(2)</script>\u202e\u200b\u0007 javascript:alert(3)";
const keep = new Set([
  "id",
  "name",
  "status",
  "type",
  "effect",
  "state",
  "kind",
  "runId",
  "key",
  "parent",
  "callId",
  "digest",
  "source",
  "token",
]);

/** Replaces every text of a body that is not a name or a state by one of an attacker. */
function replaceTexts(value: unknown, name = ""): unknown {
  if (typeof value === "string") {
    if (keep.has(name)) return value;
    return name === "url" || name === "uri" ? "javascript:alert(4)" : attack;
  }
  if (Array.isArray(value)) {
    // The first items are enough of a long list.
    return value.slice(0, 300).map((item) => replaceTexts(item, name));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, item]) => [member, replaceTexts(item, member)]),
  );
}

const tools = makeTools(300).map((tool, index) => ({
  ...tool,
  ...(index === 0 ? { source: attack } : {}),
}));

describe.skipIf(!hasChromium)("texts of an attacker (need chromium)", () => {
  let studio: StudioBrowser;
  beforeAll(async () => {
    studio = await startStudioBrowser({
      tools,
      transform: (path, body) => (path === "/session" ? body : replaceTexts(body)),
    });
  });
  afterAll(() => studio?.close());

  test("are text on every screen: no element, no script, no link of a `javascript:` URL", async () => {
    const page = await studio.open();
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const name = tools[0]?.name;
    const screens = [
      "/",
      "/tools",
      "/tools?find=model&q=a",
      ...["", "?tab=schema", "?tab=model", "?tab=policy", "?tab=lock"].map(
        (query) => `/tools/${name}${query}`,
      ),
      "/sources",
      "/problems",
      "/approvals",
      "/approvals/apr_0",
      "/approvals/apr_1",
      "/approvals/apr_2",
      "/grants",
      "/runs",
      "/runs/run_1",
      "/runs/run_1?tab=table",
      "/runs/run_1?tab=raw",
      "/tasks",
      "/tasks/task_0",
      "/artifacts/art_1",
      "/memory",
      `/memory?owner=${encodeURIComponent(JSON.stringify(["<img src=x>\u202e", null]))}`,
      "/memory/mem_1",
      "/policy",
      `/policy?tab=explain&tool=${name}`,
      "/audit",
      "/lock",
    ];
    const found: string[] = [];
    let displayed = 0;
    for (const path of screens) {
      await goTo(page, path);
      const state = await page.evaluate(() => ({
        elements: document.querySelectorAll("main img, main script, main iframe").length,
        links: [...document.querySelectorAll("a")]
          .map((link) => link.href)
          .filter((href) => !/^https?:/.test(href)),
        hidden: /[\u202e\u200b\u0007]/.test(document.body.textContent ?? ""),
        isSpeltOut: (document.body.textContent ?? "").includes("\\u{202E}"),
      }));
      if (state.isSpeltOut) displayed += 1;
      if (state.elements > 0) found.push(`${path}: ${state.elements} elements`);
      if (state.hidden) found.push(`${path}: hidden characters`);
      found.push(...state.links.map((link) => `${path}: ${link}`));
      found.push(...studio.takeFaults().map((fault) => `${path}: ${fault}`));
    }
    expect(found).toEqual([]);
    expect(dialogs).toEqual([]);
    expect(displayed).toBeGreaterThan(15);
    await page.context().close();
  });
});
