import { describe, expect, test } from "vitest";
import { parseExact, SecretSet, stringifyExact } from "@toolweave/core/adapter";
import { cpuMilliseconds, linearWorkMs } from "@toolweave/test-support";
import { SecretFinder } from "../../src/redaction/secret-finder.ts";
import { SecretRedactor } from "../../src/redaction/secret-redactor.ts";

function redactorFor(...secrets: readonly string[]): SecretRedactor {
  const sets = [new SecretSet(secrets)];
  return new SecretRedactor([new SecretFinder(() => sets, false)], []);
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const lines = (text: string, separator: string): string =>
  (base64(text).match(/.{1,60}/g) ?? []).join(separator);
const everyByte = (text: string, write: (byte: string) => string): string =>
  [...Buffer.from(text)].map((byte) => write(byte.toString(16).padStart(2, "0"))).join("");

const secrets = [
  "sk_example_4f9a0c2b7d",
  'quo"te\\back/slash',
  "pass word+with%41 signs&=",
  "pässwörd-日本-🔑",
  "hunter2-42",
];

describe.each(secrets)("SE03: the secret %s", (secret) => {
  const redactor = redactorFor(secret);
  test.each<[string, string]>([
    ["unchanged", secret],
    ["within a JSON string", JSON.stringify({ a: secret })],
    ["within JSON within JSON", JSON.stringify(JSON.stringify({ a: secret }))],
    [
      "with unnecessary JSON escapes",
      [...secret]
        .flatMap((char) => char.split(""))
        .map((unit, index) => {
          const hex = unit.charCodeAt(0).toString(16).padStart(4, "0");
          return `\\u${index % 2 === 0 ? hex : hex.toUpperCase()}`;
        })
        .join(""),
    ],
    ["in a URL", `https://example.com/?q=${encodeURIComponent(secret)}&r=1`],
    ["in a form", new URLSearchParams({ a: secret }).toString()],
    ["with each byte percent-encoded", everyByte(secret, (byte) => `%${byte}`)],
    ["the same in upper case", everyByte(secret, (byte) => `%${byte.toUpperCase()}`)],
    ["encoded twice", encodeURIComponent(encodeURIComponent(secret))],
    ["in a URL in JSON", JSON.stringify({ url: `/?q=${encodeURIComponent(`"${secret}"`)}` })],
    ["in base64", base64(secret)],
    ["in base64 after one character", base64(`a${secret}`)],
    ["in base64 after two characters", base64(`ab${secret}`)],
    ["in base64 among other bytes", base64(`user:${secret}@host`)],
    ["in base64 without padding", base64(`abc:${secret}`).replaceAll("=", "")],
    ["in base64url", Buffer.from(`x${secret}y`).toString("base64url")],
    ["in base64 of JSON", base64(JSON.stringify({ secret }))],
    ["in base64 in lines", lines(`${"x".repeat(90)}${secret}${"y".repeat(90)}`, "\n")],
    ["in base64 in lines of MIME", lines(`${"x".repeat(91)}${secret}${"y".repeat(9)}`, "\r\n")],
    [
      "in base64 in lines in JSON",
      JSON.stringify(lines(`${"x".repeat(92)}${secret}${"y".repeat(90)}`, "\n")),
    ],
    ["in base64 in a URL", encodeURIComponent(base64(`?>${secret}`))],
  ])("is redacted %s", (_, given) => {
    const redacted = redactor.text(`before ${given} after`);
    expect(redacted).toContain("[redacted]");
    expect(redacted).toMatch(/^before .* after$/s);
    expect(redacted).not.toContain(secret);
    for (const part of [
      base64(secret),
      base64(`a${secret}`).slice(2),
      base64(`ab${secret}`).slice(3),
    ]) {
      expect(redacted).not.toContain(part.slice(0, -4));
    }
    expect(redactor.text(redacted)).toBe(redacted);
  });
});

describe("several secrets", () => {
  test("of which one contains another are replaced by the longer", () => {
    const redactor = redactorFor("abcd", "xxabcdyy", "abcdyyzz-and-much-more-than-that");
    expect(redactor.text("1 abcd 2 xxabcdyy 3")).toBe("1 [redacted] 2 [redacted] 3");
    expect(redactor.text("xxabcdyyzz-and-much-more-than-that!")).toBe("[redacted]!");
    expect(redactor.text("abcdyyzz-and-much-more-than-this")).toBe(
      "[redacted]yyzz-and-much-more-than-this",
    );
  });

  test("that overlap are replaced together", () => {
    expect(redactorFor("abcdef", "defghi").text("-abcdefghi-")).toBe("-[redacted]-");
  });

  test("one after the other are replaced one by one", () => {
    expect(redactorFor("abcdef").text("abcdefabcdef")).toBe("[redacted][redacted]");
  });

  test("with the same beginning are distinguished", () => {
    const head = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.";
    const redactor = redactorFor(`${head}one-1`, `${head}two-22`);
    expect(redactor.text(`${head}two-22 ${head}one-1 ${head}six-6`)).toBe(
      `[redacted] [redacted] ${head}six-6`,
    );
  });
});

test("a secret from a file is found without the line break at its end", () => {
  expect(redactorFor("tok-1234567\n").text(`a ${base64("tok-1234567")} tok-1234567.`)).toBe(
    "a [redacted]c= [redacted].",
  );
});

test("a value that is not text is not a secret, and is refused", () => {
  expect(() => new SecretSet().add(undefined as never)).toThrow(
    /A secret is undefined; add a text/,
  );
});

test("case is significant", () => {
  expect(redactorFor("AbCdEf").text("abcdef")).toBe("abcdef");
});

test("a removed secret is no longer redacted, and an added one is", () => {
  const set = new SecretSet();
  const sets = [set];
  const redactor = new SecretRedactor([new SecretFinder(() => sets, false)], []);
  expect(redactor.text("the-token")).toBe("the-token");
  const forget = set.add("the-token");
  expect(redactor.text("the-token")).toBe("[redacted]");
  forget();
  expect(redactor.text("the-token")).toBe("the-token");
});

test("a short secret is found in base64 that contains nothing else", () => {
  const redactor = redactorFor("pa55");
  expect(redactor.text(`a ${base64("pa55")} b`)).toBe("a [redacted] b");
  // Five sextets of a long base64 text may be anything.
  expect(redactor.text("AAAAcGE1NQAAAA")).toBe("AAAAcGE1NQAAAA");
});

test("a number that is a secret becomes a text, and keys are texts, too", () => {
  const redactor = redactorFor("12345678", "key-secret");
  expect(redactor.value({ a: 12_345_678, "key-secret": [1, "x"] })).toEqual({
    a: "[redacted]",
    "[redacted]": [1, "x"],
  });
});

test("a number that is a secret beyond 2^53 is found by its digits", () => {
  const digits = "12345678901234567890";
  const value = parseExact(`{"account":${digits},"others":[${digits},9007199254740993]}`);
  expect(stringifyExact(redactorFor(digits).value(value))).toBe(
    '{"account":"[redacted]","others":["[redacted]",9007199254740992]}',
  );
  expect(redactorFor("another-secret").value(value)).toBe(value);
});

test("a value without a secret is the same object", () => {
  const value = { a: [1, { b: "text", c: null }], "%41": "\\u0041" };
  expect(redactorFor("absent-secret").value(value)).toBe(value);
});

test("two secret keys stay two", () => {
  const redactor = redactorFor("secret-1", "secret-2");
  expect(redactor.value({ "secret-1": 1, "secret-2": 2 })).toEqual({
    "[redacted]": 1,
    "[redacted] 2": 2,
  });
});

test("the time grows with the text alone, for any number of secrets and partial matches", async () => {
  const many = Array.from({ length: 2000 }, (_, index) => `token-${index}-${"ab".repeat(20)}`);
  const redactor = redactorFor(...many);
  redactor.text("compile");
  const spent = await cpuMilliseconds(() => {
    const nearly = `token-1-${"ab".repeat(19)}ac `.repeat(4000);
    expect(redactor.text(nearly)).toBe(nearly);
  });
  expect(spent).toBeLessThan(linearWorkMs);
});
