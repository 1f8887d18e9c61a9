import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { safeLine, safeProse, safeText, safeUrl } from "../../src/text/safe-text.ts";

const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;

test("no text has a control, direction or invisible character left", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      for (const safe of [safeText, safeProse, safeLine]) expect(safe(text)).not.toMatch(hidden);
    }),
  );
});

test("a direction override is spelt out, and line breaks stay in a block", () => {
  expect(safeLine("a\u202eb")).toBe(String.raw`a\u{202E}b`);
  expect(safeText("a\r\nb")).toBe("a\nb");
});

test("a text of more than 100,000 characters is cut, and the rest is counted", () => {
  const cut = safeText("x".repeat(5_000_000));
  expect(cut.length).toBeLessThan(100_100);
  expect(cut).toContain("4,900,000 more characters");
});

describe("a URL", () => {
  test.each(["http://example.com/a", "https://example.com/?q=1#x"])("%s is a link", (text) => {
    expect(safeUrl(text)?.href).toBe(text);
  });

  test.each([
    "javascript:alert(1)",
    "java\nscript:alert(1)",
    " https://example.com",
    "data:text/html,x",
    "//example.com",
    "/path",
    "https://user:secret@example.com",
    "https://",
    "ftp://example.com",
  ])("%j is text", (text) => {
    expect(safeUrl(text)).toBeUndefined();
  });
});
