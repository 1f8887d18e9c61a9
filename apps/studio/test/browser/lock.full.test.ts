import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "@toolweave/test-support/chromium";
import { makeTools } from "../support/fake-data.ts";
import { goTo } from "../support/page-driver.ts";
import { startStudioBrowser, type StudioBrowser } from "../support/studio-browser.ts";

describe.skipIf(!hasChromium)("the differences to the lock file (needs chromium)", () => {
  let studio: StudioBrowser;
  beforeAll(async () => {
    studio = await startStudioBrowser({ tools: makeTools(10) });
  });
  afterAll(() => studio?.close());

  test("have both sides, or the current one if the lock file has only a digest", async () => {
    const page = await studio.open();
    await goTo(page, "/lock");
    const changes = page.locator(".changes .change");
    await changes.first().waitFor();
    const texts = await changes.allInnerTexts();
    expect(texts[0]?.split("\n").filter((line) => line !== "")).toEqual([
      "description has changed",
      "Before",
      "Deletes an invoice.",
      "Now",
      "Deletes an invoice for good.",
    ]);
    expect(texts[2]?.split("\n").filter((line) => line !== "")).toEqual([
      "outputSchema has changed; the lock file has only the digest of what it was",
      "Now",
      "{",
      '  "type": "object"',
      "}",
    ]);
    await page.context().close();
    expect(studio.takeFaults()).toEqual([]);
  });
});
