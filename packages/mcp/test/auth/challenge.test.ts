import { describe, expect, it } from "vitest";
import { readChallenge, type Challenge } from "../../src/auth/sign-in-required.ts";

const read = (wwwAuthenticate: string): Challenge =>
  readChallenge({ status: 401, wwwAuthenticate, sent: {}, attempt: 0, signal: undefined });
const at = "https://api.example/meta";

describe("the challenge of a rejection (RFC 9110, section 11.6.1)", () => {
  it.each([
    ["a quoted URL", `Bearer resource_metadata="${at}"`],
    ["a URL that is not quoted", `Bearer resource_metadata=${at}`],
    ["other cases and spaces", `bEARER  realm = "a" ,RESOURCE_METADATA = "${at}"`],
    ["no commas", `Bearer realm="a" resource_metadata="${at}"`],
    ["another scheme before it", `Basic realm="a, b", Bearer resource_metadata="${at}"`],
    ["another scheme behind it", `Bearer resource_metadata="${at}", Basic realm="a"`],
    ["credentials before it", `Negotiate YII/ab+c==, Bearer resource_metadata="${at}"`],
    ["a quoted URL without its end", `Bearer resource_metadata="${at}`],
    ["two bearer challenges", `Bearer realm="a", Bearer resource_metadata="${at}"`],
    ["the URL twice", `Bearer resource_metadata="${at}", resource_metadata="https://b.example"`],
    [
      "a quoted text that looks like one",
      String.raw`Basic realm="x, Bearer resource_metadata=\"https://evil.example\"", Bearer resource_metadata="${at}"`,
    ],
    [
      "the parameter of another scheme",
      `DPoP resource_metadata="https://evil.example", Bearer resource_metadata="${at}"`,
    ],
  ])("is read with %s", (_, header) => {
    expect(read(header).metadataUrl?.href).toBe(at);
  });

  it.each([
    "",
    'Basic realm="x, Bearer resource_metadata=https://evil.example"',
    "Bearer",
    'Bearer resource_metadata="not a URL"',
    'Bearer"',
  ])("of %j has no URL", (header) => expect(read(header).metadataUrl).toBeUndefined());

  it("has the error and the scopes of the bearer challenge", () => {
    const header = 'Basic scope="x", error=no, Bearer error="insufficient_scope", scope="a b a"';
    expect(read(header)).toEqual({ status: 401, scopes: ["a", "b"], error: "insufficient_scope" });
  });

  it("is read in bounded time", () => {
    for (const part of ['a="', "a=", ",", '"\\', "Bearer "])
      expect(read(part.repeat(10_000)).scopes).toEqual([]);
  });
});
