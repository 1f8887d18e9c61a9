import type { JsonValue } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { createParameterWriter } from "../../src/parameters/serialize-parameter.ts";
import { parameter } from "../support/operations.ts";

function write(given: Parameters<typeof parameter>[0], value: JsonValue): string | undefined {
  return createParameterWriter(parameter(given), given.name)(value);
}

describe("values that have no text", () => {
  test.each([
    ["null", null],
    ["an empty list", []],
    ["an empty object", {}],
  ])("%s is not sent (RFC 6570 section 2.3)", (_name, value) => {
    expect(write({ name: "a", in: "query" }, value)).toBeUndefined();
    expect(write({ name: "a", in: "query", style: "deepObject" }, value)).toBeUndefined();
    expect(write({ name: "a", in: "header" }, value)).toBeUndefined();
  });

  test("falsy values are sent", () => {
    expect(write({ name: "a", in: "query" }, 0)).toBe("a=0");
    expect(write({ name: "a", in: "query" }, false)).toBe("a=false");
    expect(write({ name: "a", in: "query" }, "")).toBe("a=");
    expect(write({ name: "a", in: "path", style: "matrix" }, "")).toBe(";a");
  });

  test("a list or an object within a list is JSON", () => {
    expect(write({ name: "a", in: "query" }, [{ b: [1] }, [2]])).toBe(
      "a=%7B%22b%22%3A%5B1%5D%7D&a=%5B2%5D",
    );
  });
});

describe("deepObject", () => {
  test("deeper members use more brackets, list items their index", () => {
    const text = write(
      { name: "a", in: "query", style: "deepObject" },
      { b: { c: 1 }, d: ["x", { e: true }] },
    );
    expect(decodeURIComponent(text ?? "")).toBe("a[b][c]=1&a[d][0]=x&a[d][1][e]=true");
  });
});

describe("allowReserved", () => {
  const reserved = { name: "q", in: "query", allowReserved: true } as const;

  test("reserved characters and percent-encoded triples are unchanged (RFC 6570 section 3.2.3)", () => {
    expect(write(reserved, "/a:b?c;d=e%20f,g'(h)*!$@")).toBe("q=/a:b?c;d=e%20f,g%27(h)*!$@");
    expect(write(reserved, "100% é")).toBe("q=100%25%20%C3%A9");
  });

  test("characters that would end the value or the query are encoded", () => {
    expect(write(reserved, "a&admin=1#x[0]+")).toBe("q=a%26admin=1%23x%5B0%5D%2B");
  });

  test("a comma within an item differs from one between items", () => {
    expect(write({ ...reserved, explode: false }, ["a,b", "c/d"])).toBe("q=a%2Cb,c/d");
  });

  test("in a path it does not create new segments (OpenAPI 3.2)", () => {
    expect(write({ name: "p", in: "path", allowReserved: true }, "a:b/c?d#e")).toBe(
      "a:b%2Fc%3Fd%23e",
    );
  });
});

describe("content parameters", () => {
  test("are written as their media type and encoded completely", () => {
    expect(write({ name: "f", in: "query", mediaType: "application/json" }, { a: ["é&"] })).toBe(
      "f=%7B%22a%22%3A%5B%22%C3%A9%26%22%5D%7D",
    );
    expect(write({ name: "f", in: "header", mediaType: "application/json" }, { a: "é\n" })).toBe(
      '{"a":"\\u00e9\\n"}',
    );
    expect(write({ name: "f", in: "query", mediaType: "text/plain" }, "a b")).toBe("f=a%20b");
  });

  test("a complete query string is a form, JSON or text (OpenAPI 3.2)", () => {
    const form = "application/x-www-form-urlencoded";
    expect(
      write({ name: "q", in: "querystring", mediaType: form }, { foo: "a + b", bar: true }),
    ).toBe("foo=a+%2B+b&bar=true");
    expect(write({ name: "q", in: "querystring", mediaType: "application/json" }, { a: 1 })).toBe(
      "%7B%22a%22%3A1%7D",
    );
  });
});

describe("Swagger 2.0's tsv", () => {
  test("is a list with tabs", () => {
    expect(write({ name: "a", in: "query", explode: false, delimiter: "\t" }, ["x", "y"])).toBe(
      "a=x%09y",
    );
  });
});

describe("a value that could add a header", () => {
  const injected = "x\r\nX-Admin: 1";

  test.each<[string, Parameters<typeof parameter>[0]]>([
    ["a header", { name: "a", in: "header" }],
    ["a cookie of the cookie style", { name: "a", in: "cookie", style: "cookie" }],
    ["a query", { name: "a", in: "query" }],
  ])("is refused in %s", (_name, given) => {
    expect(() => write(given, injected)).toThrow(
      /"a" is sent in (?:a header|a cookie|the query), which cannot contain/,
    );
  });

  test("line feeds in a query are text like any other", () => {
    expect(write({ name: "a", in: "query" }, "one\ntwo")).toBe("a=one%0Atwo");
  });

  test("a cookie cannot add another cookie", () => {
    expect(() => write({ name: "a", in: "cookie", style: "cookie" }, "1; admin=1")).toThrow(
      /cannot contain spaces, quotes, ",", ";"/,
    );
    expect(write({ name: "a", in: "cookie" }, "1; admin=1")).toBe("a=1%3B%20admin%3D1");
  });
});

test.each(["%0d", "%0D", "\r"])(
  "a query contains no carriage return, in any encoding: %j",
  (text) => {
    const given = { name: "q", in: "query", allowReserved: true } as const;
    expect(() => write(given, `x${text}y`)).toThrow(/carriage returns/);
  },
);
