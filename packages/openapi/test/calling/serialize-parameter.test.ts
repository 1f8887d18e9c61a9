import type { JsonValue } from "@toolweave/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Parameter, ParameterLocation, ParameterStyle } from "../../src/document/operation.ts";
import { parameterWriter } from "../../src/request/serialize-parameter.ts";
import { decodeParameter, type Shape } from "./support/decode-parameter.ts";
import { parameter } from "./support/operations.ts";

function write(given: Parameters<typeof parameter>[0], value: JsonValue): string | undefined {
  return parameterWriter(parameter(given), given.name)(value);
}

const combinations: readonly [ParameterLocation, ParameterStyle, boolean, Shape][] = [
  ...(["path", "header"] as const).flatMap((location) =>
    combine(location, ["simple"], [false, true], ["text", "list", "object"]),
  ),
  ...combine("path", ["label", "matrix"], [false, true], ["text", "list", "object"]),
  ...(["query", "cookie"] as const).flatMap((location) =>
    combine(location, ["form"], [false, true], ["text", "list", "object"]),
  ),
  ...combine("query", ["spaceDelimited", "pipeDelimited"], [false], ["list", "object"]),
  ...combine("query", ["deepObject"], [true], ["object"]),
];

function combine(
  location: ParameterLocation,
  styles: readonly ParameterStyle[],
  explodes: readonly boolean[],
  shapes: readonly Shape[],
): [ParameterLocation, ParameterStyle, boolean, Shape][] {
  return styles.flatMap((style) =>
    explodes.flatMap((explode) =>
      shapes.map((shape): [ParameterLocation, ParameterStyle, boolean, Shape] => [
        location,
        style,
        explode,
        shape,
      ]),
    ),
  );
}

/** Characters that the place itself cannot tell from its own punctuation, or refuses, left out. */
function textFor(
  location: ParameterLocation,
  style: ParameterStyle,
  shape: Shape,
): fc.Arbitrary<string> {
  const any = fc.string({
    unit: fc.oneof(
      fc.constantFrom(..." ,;&=?/#%+.'\"|[]()!*$@:~é😀"),
      fc.string({ unit: "grapheme", maxLength: 1 }),
    ),
    maxLength: 12,
  });
  return any
    .map((text) => {
      if (location === "header") {
        // A header is not percent-encoded: its own delimiters and outer spaces cannot be told from a value's.
        // oxlint-disable-next-line no-control-regex
        const plain = text.replace(/[\u0000-\u001f\u007f]/g, "").trim();
        return shape === "text" ? plain : plain.replace(/[,=]/g, "");
      }
      if (style === "spaceDelimited") return text.replaceAll(" ", "");
      if (style === "pipeDelimited") return text.replaceAll("|", "");
      // A label has no other delimiter than the full stop that every value may hold.
      if (style === "label") return text.replaceAll(".", "");
      return text;
    })
    .map((text) => text.replaceAll("\r", ""));
}

function valueFor(
  location: ParameterLocation,
  style: ParameterStyle,
  explode: boolean,
  shape: Shape,
): fc.Arbitrary<JsonValue> {
  const text = textFor(location, style, shape);
  if (shape === "text") return text;
  if (shape === "list") return fc.array(text, { minLength: 1, maxLength: 5 });
  const key = text.filter(
    (name) =>
      name !== "" && name !== "__proto__" && !(style === "deepObject" && /[[\]]/.test(name)),
  );
  return fc.dictionary(key, text, { minKeys: 1, maxKeys: 4 }).map((value) => ({ ...value }));
}

describe("a written parameter, decoded by an independent decoder, is what was passed", () => {
  test.each(combinations)("%s %s explode=%s %s", (location, style, explode, shape) => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."abz$[]- ."), minLength: 1, maxLength: 6 }),
        valueFor(location, style, explode, shape),
        (name, value) => {
          const given: Parameter = parameter({ name, in: location, style, explode });
          const wire = parameterWriter(given, name)(value);
          // One byte for each character, and none that could end the place it is in.
          expect(wire).toMatch(
            location === "header" ? /^[ -~\u0080-\u00ff]*$/ : /^[!-~]*(?:; [!-~]*)*$/,
          );
          expect(decodeParameter(given, shape, wire ?? "")).toEqual(value);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("values that have no text of their own", () => {
  test.each([
    ["null", null],
    ["an empty list", []],
    ["an empty object", {}],
    ["a list of nothing", [null]],
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
    expect(decodeURIComponent(write({ name: "a", in: "query" }, [{ b: [1] }, [2]]) ?? "")).toBe(
      'a={"b":[1]}&a=[2]',
    );
  });
});

describe("deepObject", () => {
  test("deeper members go in more brackets, list items by index", () => {
    const text = write(
      { name: "a", in: "query", style: "deepObject" },
      { b: { c: 1 }, d: ["x", { e: true }] },
    );
    expect(decodeURIComponent(text ?? "")).toBe("a[b][c]=1&a[d][0]=x&a[d][1][e]=true");
  });
});

describe("allowReserved", () => {
  const reserved = { name: "q", in: "query", allowReserved: true } as const;

  test("reserved characters and percent-encoded triples pass (RFC 6570 section 3.2.3)", () => {
    expect(write(reserved, "/a:b?c;d=e%20f,g'(h)*!$@")).toBe("q=/a:b?c;d=e%20f,g'(h)*!$@");
    expect(write(reserved, "100% é")).toBe("q=100%25%20%C3%A9");
  });

  test("what would end the value or the query is encoded all the same", () => {
    expect(write(reserved, "a&admin=1#x[0]+")).toBe("q=a%26admin=1%23x%5B0%5D%2B");
  });

  test("a comma within an item is not one between items", () => {
    expect(write({ ...reserved, explode: false }, ["a,b", "c/d"])).toBe("q=a%2Cb,c/d");
  });

  test("in a path it does not open new segments (OpenAPI 3.2)", () => {
    expect(write({ name: "p", in: "path", allowReserved: true }, "a:b/c?d#e")).toBe(
      "a:b%2Fc%3Fd%23e",
    );
  });
});

describe("content parameters", () => {
  test("are written as their media type and encoded as a whole", () => {
    expect(write({ name: "f", in: "query", mediaType: "application/json" }, { a: ["é&"] })).toBe(
      "f=%7B%22a%22%3A%5B%22%C3%A9%26%22%5D%7D",
    );
    expect(write({ name: "f", in: "header", mediaType: "application/json" }, { a: "é\n" })).toBe(
      '{"a":"\\u00e9\\n"}',
    );
    expect(write({ name: "f", in: "query", mediaType: "text/plain" }, "a b")).toBe("f=a%20b");
  });

  test("a whole query string is a form, JSON or text (OpenAPI 3.2)", () => {
    const form = "application/x-www-form-urlencoded";
    expect(
      write({ name: "q", in: "querystring", mediaType: form }, { foo: "a + b", bar: true }),
    ).toBe("foo=a%20%2B%20b&bar=true");
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

describe("what could become a header of its own", () => {
  const injected = "x\r\nX-Admin: 1";

  test.each<[string, Parameters<typeof parameter>[0]]>([
    ["a header", { name: "a", in: "header" }],
    ["a cookie of the cookie style", { name: "a", in: "cookie", style: "cookie" }],
    ["a query", { name: "a", in: "query" }],
  ])("is refused in %s", (_name, given) => {
    expect(() => write(given, injected)).toThrow(
      /"a" is sent in the (?:header|cookie|query), which cannot hold/,
    );
  });

  test("line feeds in a query are text like any other", () => {
    expect(write({ name: "a", in: "query" }, "one\ntwo")).toBe("a=one%0Atwo");
  });

  test("a cookie cannot bring another cookie along", () => {
    expect(() => write({ name: "a", in: "cookie", style: "cookie" }, "1; admin=1")).toThrow(
      /cannot hold ";"/,
    );
    expect(write({ name: "a", in: "cookie" }, "1; admin=1")).toBe("a=1%3B%20admin%3D1");
  });
});

test.each(["%0d", "%0D", "\r"])(
  "a query holds no carriage return, however it is written: %j",
  (text) => {
    const given = { name: "q", in: "query", allowReserved: true } as const;
    expect(() => write(given, `x${text}y`)).toThrow(/carriage returns/);
  },
);
