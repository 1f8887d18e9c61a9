import type { JsonObject } from "@toolweave/core";
import fc from "fast-check";
import type { ValueStyle } from "./generation-settings.ts";
import { numberOr } from "./keyword-values.ts";

const letters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"];

const surrogates = { first: 0xd800, count: 0x800 };
const codePoints = 0x110000 - surrogates.count;

/**
 * Every Unicode character; "a" is the simplest. Like "binary" of fast-check, which takes a second
 * to list them when it is first used.
 */
const characters = fc.nat({ max: codePoints - 1 }).map((drawn) => {
  const index = (drawn + 97) % codePoints;
  const isAfter = index >= surrogates.first;
  return String.fromCodePoint(isAfter ? index + surrogates.count : index);
});

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "date-time": generateDates().map((day) => day.toISOString()),
  date: generateDates().map((day) => day.toISOString().slice(0, 10)),
  time: generateDates().map((day) => day.toISOString().slice(11)),
  duration: fc.constantFrom("P1D", "PT30M", "P1Y2M3DT4H"),
  email: fc.constantFrom("a@example.com", "someone.else@example.org"),
  "idn-email": fc.constantFrom("a@example.com", "jürgen@example.org"),
  hostname: fc.constantFrom("example.com", "a.b.example.org"),
  "idn-hostname": fc.constantFrom("example.com", "bücher.example"),
  ipv4: fc.ipV4(),
  ipv6: fc.constantFrom("::1", "2001:db8::8a2e:370:7334"),
  uri: fc.constantFrom("https://example.com/", "https://example.org/a?b=c"),
  url: fc.constantFrom("https://example.com/", "https://example.org/a?b=c"),
  iri: fc.constantFrom("https://example.com/ä", "https://example.org/a"),
  "uri-reference": fc.constantFrom("/a/b", "https://example.org/a", "?b=c"),
  "iri-reference": fc.constantFrom("/ä/b", "https://example.org/a"),
  "uri-template": fc.constantFrom("/books/{id}", "https://example.com/{?page}"),
  uuid: fc.uuid(),
  "json-pointer": fc.constantFrom("", "/a/0", "/a~1b"),
  "relative-json-pointer": fc.constantFrom("0", "1/a"),
  regex: fc.constantFrom("^a+$", "[0-9]{2}"),
  byte: fc.base64String({ maxLength: 12 }),
};

/** Base64 texts that are not empty. */
const nonEmptyBase64 = fc.base64String({ minLength: 4, maxLength: 12 });

/** True for a format for which values can be generated. */
export function hasKnownFormat({ format, contentEncoding }: JsonObject): boolean {
  return (typeof format === "string" && format in formats) || contentEncoding === "base64";
}

/** Generates texts that match a schema. */
export function generateTexts(schema: JsonObject, style: ValueStyle): fc.Arbitrary<string> {
  const { pattern, format, contentEncoding } = schema;
  const named = contentEncoding === "base64" ? "byte" : format;
  const known =
    named === "byte" && style !== "any"
      ? nonEmptyBase64
      : typeof named === "string"
        ? formats[named]
        : undefined;
  const matching = typeof pattern === "string" ? generateMatchingTexts(pattern) : undefined;
  if (known === undefined) return matching ?? generatePlainTexts(schema, style);
  if (matching === undefined) return known;
  return style === "any"
    ? fc.oneof(known, matching)
    : filterByPattern(known, pattern as string, matching);
}

const matchAttempts = 40;

/**
 * Generates texts of a format that also match a pattern, or texts that match the pattern if none
 * does.
 */
function filterByPattern(
  known: fc.Arbitrary<string>,
  pattern: string,
  matching: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const matcher = new RegExp(pattern);
  const both = fc
    .sample(known, { seed: 1, numRuns: matchAttempts })
    .filter((text) => matcher.test(text));
  return both.length > 0 ? fc.constantFrom(...both) : matching;
}

const cachedGenerators = new Map<string, fc.Arbitrary<string> | undefined>();
const maxCachedGenerators = 2000;

/** Caches text generators, which are slow to create and often needed again. */
function cacheGenerator(
  key: string,
  make: () => fc.Arbitrary<string> | undefined,
): fc.Arbitrary<string> | undefined {
  if (cachedGenerators.has(key)) return cachedGenerators.get(key);
  if (cachedGenerators.size >= maxCachedGenerators) cachedGenerators.clear();
  const arbitrary = make();
  cachedGenerators.set(key, arbitrary);
  return arbitrary;
}

/** Generates texts that match a pattern; `undefined` if that is not possible. */
export function generateMatchingTexts(pattern: string): fc.Arbitrary<string> | undefined {
  return cacheGenerator(`matching ${pattern}`, () => {
    for (const flags of ["u", ""]) {
      try {
        return fc.stringMatching(new RegExp(pattern, flags), { size: "small" });
      } catch {
        // Without the flag the pattern may be valid; otherwise plain text is used.
      }
    }
    return undefined;
  });
}

function generatePlainTexts(schema: JsonObject, style: ValueStyle): fc.Arbitrary<string> {
  const least = numberOr(schema["minLength"], 0);
  const most = Math.max(least, numberOr(schema["maxLength"], least + 12));
  const maxLength = Math.min(most, least + 12);
  const key = `${style} ${least} ${maxLength}`;
  return cacheGenerator(key, () =>
    createTextGenerator(style, least, maxLength),
  ) as fc.Arbitrary<string>;
}

function createTextGenerator(
  style: ValueStyle,
  least: number,
  maxLength: number,
): fc.Arbitrary<string> {
  if (style === "any") {
    const ascii = fc.string({ minLength: least, maxLength });
    // In code points, which JSON Schema counts.
    const others = fc.string({ minLength: least, maxLength, unit: characters });
    return fc.oneof({ weight: 4, arbitrary: ascii }, { weight: 1, arbitrary: others });
  }
  // Ordinary texts are not empty.
  const minLength = Math.min(Math.max(1, least), maxLength);
  return fc.string({ minLength, maxLength, unit: fc.constantFrom(...letters) });
}

function generateDates(): fc.Arbitrary<Date> {
  return fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true });
}
