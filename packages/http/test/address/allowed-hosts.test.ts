import { describe, expect, test } from "vitest";
import { AllowedHosts, parseTarget } from "../../src/address/allowed-hosts.ts";

describe("the list of hosts", () => {
  const hosts = new AllowedHosts("test", {
    allow: ["example.com", "*.npmjs.org", "api.test:8443"],
    allowPrivate: ["localhost:4873"],
  });

  test.each([
    ["example.com:443", "public"],
    ["EXAMPLE.com:80", "public"],
    ["example.com.:443", "public"],
    ["registry.npmjs.org:443", "public"],
    ["a.b.npmjs.org:443", "public"],
    ["api.test:8443", "public"],
    ["localhost:4873", "given"],
    ["npmjs.org:443", undefined],
    ["evilnpmjs.org:443", undefined],
    ["example.com.evil.test:443", undefined],
    ["example.com:22", undefined],
    ["api.test:443", undefined],
    ["localhost:80", undefined],
    ["127.0.0.1:4873", undefined],
  ])("%s may be reached as %s", (text, reach) => {
    expect(hosts.getReach(parseTarget(text, 443) ?? { hostname: "", port: 0 })).toBe(reach);
  });

  test.each([
    "user@example.com:443",
    "example.com\0.evil.test",
    "example.com:443/x",
    "",
    "a b",
    ":80",
  ])("%j is no host and port", (text) => {
    expect(parseTarget(text, 443)).toBeUndefined();
  });

  test("* is every name, at public addresses alone", () => {
    const all = new AllowedHosts("test", { allow: ["*"] });
    expect(all.getReach({ hostname: "example.com", port: 443 })).toBe("public");
    expect(all.getReach({ hostname: "127.0.0.1", port: 80 })).toBe("public");
    expect(all.getReach({ hostname: "example.com", port: 22 })).toBeUndefined();
    expect(() => new AllowedHosts("test", { allowPrivate: ["*"] })).toThrow('"*" is no host');
  });

  test.each(["https://example.com", "*:80", "**", "example.com/path", "", 3])(
    "%j is refused as an entry",
    (entry) => {
      expect(() => new AllowedHosts("test", { allow: [entry as string] })).toThrow(
        "is no host; use",
      );
    },
  );
});
