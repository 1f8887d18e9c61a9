import { describe, expect, test } from "vitest";
import { browserTools } from "../../src/index.ts";
import { hasBrowser, openBrowser } from "./support/open-browser.ts";

test.each([
  [
    { executable: 5 },
    "browserTools: executable is 5; it has to be the path of Chromium or Chrome.",
  ],
  [
    { executable: "" },
    'browserTools: executable is ""; it has to be the path of Chromium or Chrome.',
  ],
  [{ sandbox: "off" }, 'browserTools: sandbox is "off"; it has to be true or false.'],
])("the option %j is refused", (options, message) => {
  expect(() => browserTools(options as never)).toThrow(message);
});

describe.runIf(hasBrowser)("a path without a browser", () => {
  test("is named", async () => {
    const { look } = openBrowser({ allow: ["example.com"], executable: "/nowhere/chromium" });
    expect(await look({ action: "navigate", url: "https://example.com/" })).toBe(
      "invalid_configuration: There is no browser at /nowhere/chromium, the executable of browserTools.",
    );
  });
});
