import { describe, expect, test, vi } from "vitest";
import { FloodGuard } from "../../src/browser/page/flood-guard.ts";
import { openPages } from "../support/web-server.ts";
import { hasBrowser, openBrowser } from "./support/open-browser.ts";

test("events are counted by page and kind, and a page is reported once", () => {
  const reports: string[] = [];
  const guard = new FloodGuard((_, reason) => reports.push(reason));
  for (let event = 0; event < 100; event++) {
    guard.count(undefined, "tab");
    guard.count(undefined, "download");
  }
  expect(reports).toEqual([]);
  guard.count(undefined, "tab");
  expect(reports).toEqual(["caused more than 100 tabs within 10 seconds"]);
});

describe.runIf(hasBrowser)("a page that fills its console", () => {
  test("is closed while no call runs, and the other tabs stay", async () => {
    const { origin, host } = await openPages({
      "/": ["text/html", `<title>Opener</title><a href="/flood" target="_blank">Open</a>`],
      "/flood": [
        "text/html",
        `<script>for (let i = 0; i < 6_000; i++) console.log({ i });</script>`,
      ],
    });
    const { look, act, ref } = openBrowser({ allowPrivate: [host] });
    await look({ action: "navigate", url: origin });
    let text = await act({ action: "click", ref: ref('link "Open"') });
    const closed = `Tab 2 was closed, because its page caused more than 5000 messages on its console within 10 seconds: ${origin}/flood`;
    await vi.waitFor(
      async () => {
        text += await look({ action: "snapshot" });
        if (!text.includes(closed)) throw new Error("The tab is open.");
      },
      { timeout: 30_000, interval: 200 },
    );
    const seen = await look({ action: "snapshot" });
    expect(text).toContain("Title: Opener");
    expect(seen).toContain("Title: Opener");
    expect(seen).not.toContain("was closed");
  });
});
