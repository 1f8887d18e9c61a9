import { describe, expect, test } from "vitest";
import { openPages } from "../support/web-server.ts";
import { hasBrowser, openBrowser } from "./support/open-browser.ts";

describe.runIf(hasBrowser)("a document", () => {
  test("whose loading ends with a link for another program is read, and the link is named", async () => {
    const { origin, host } = await openPages({
      "/": [
        "text/html",
        `<title>Redirects</title><script>location = "mailto:a@b.test"</script>text`,
      ],
      "/link": ["text/html", `<a href="tel:123">Call</a><p>text`],
    });
    const { look, act, ref } = openBrowser({ allowPrivate: [host] });
    const note = "which is for another program. None was started.";
    expect(await look({ action: "navigate", url: origin })).toContain(
      `The page has opened a mailto: link, ${note}`,
    );
    // Its body was not read.
    expect(await look({ action: "snapshot" })).toContain("<title>Redirects</title>");
    await look({ action: "navigate", url: `${origin}/link` });
    expect(await act({ action: "click", ref: ref('link "Call"') })).toContain(
      `The page has opened a tel: link, ${note}`,
    );
  });

  test("of the viewer for PDF files has requests that are not those of a page", async () => {
    const { origin, host } = await openPages({ "/": ["application/pdf", "%PDF-1.4\n%%EOF"] });
    const { look } = openBrowser({ allowPrivate: [host] });
    const seen = await look({ action: "navigate", url: origin });
    expect(seen).toContain(`Tab 1: ${origin}/`);
    expect(seen).not.toMatch(/Refused|errors on the console/);
    expect(await look({ action: "network" })).toContain(`\n200 GET ${origin}/\n[end`);
  });

  test("without a body is read as its source", async () => {
    const { origin, host } = await openPages({
      "/": ["image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><text>drawn</text></svg>`],
    });
    const { look } = openBrowser({ allowPrivate: [host] });
    expect(await look({ action: "navigate", url: origin })).toContain("<text>drawn</text>");
    expect(await look({ action: "screenshot" })).toMatch(/\(image\)$/);
  });
});
