import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { regexes } from "zod/v4/core";
import { cpuMilliseconds, inFullRun, linearWorkMs } from "@toolweave/test-support";
import { linearMatcher } from "../../../src/schema/pattern/linear-reg-exp.ts";
import { isNativePattern, linearRegExp } from "../../../src/schema/pattern/linear-reg-exp.ts";
import { parsePattern, UnreadablePattern } from "../../../src/schema/pattern/parse-pattern.ts";
import { allowWork, remainingWork } from "../../../src/schema/pattern/work-budget.ts";

beforeEach(() => allowWork(Infinity));

/** The native engine, with the `u` flag if the pattern is valid with it. */
function native(pattern: string): RegExp | undefined {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      continue;
    }
  }
  return undefined;
}

const literals = ["a", "b", "ab", "1", " ", "é", "😀", "-", "_", "\\.", "\\/", "\\n", "\\x61"];
const escapes = ["\\u0061", "\\u{1F600}", "\\ud83d\\ude00", "\\ud83d", "\\cJ", "\\x00", "\\t"];
const sets = [".", "\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\p{L}", "\\P{Lu}", "[]", "[^]"];
const members = [
  "a",
  "b",
  "a-c",
  "1-9",
  "😀",
  "é",
  "^",
  "_",
  "\\-",
  "\\b",
  "\\d",
  "\\W",
  "\\p{Lu}",
];
/** Syntax that is only valid without the `u` flag. */
const loose = ["{", "}", "]", "{a", "{1,a}", "\\_", "\\u{3}", "\\x", "[\\w-a]", "\\k", "(?=a)*"];

const atom: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...literals, ...escapes, ...sets),
  fc
    .tuple(fc.boolean(), fc.array(fc.constantFrom(...members), { minLength: 1, maxLength: 4 }))
    .map(([negated, parts]) => `[${negated ? "^" : ""}${parts.join("")}]`),
);
const quantifiers = ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?", "{2,}", "{0}"];
const groups = ["(", "(?:", "(?<name>", "(?=", "(?!", "(?<=", "(?<!"];

function patterns(atoms: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { depthSize: "small" },
      atoms,
      fc.constantFrom("^", "$", "\\b", ""),
      fc.tuple(tie("pattern"), tie("pattern")).map((parts) => parts.join("")),
      fc.tuple(tie("pattern"), tie("pattern")).map((options) => `(?:${options.join("|")})`),
      fc.tuple(tie("pattern"), tie("pattern")).map((options) => options.join("|")),
      fc
        .tuple(tie("pattern"), fc.constantFrom(...quantifiers))
        .map(([body, quantifier]) => `(?:${body})${quantifier}`),
      fc.tuple(fc.constantFrom(...groups), tie("pattern")).map(([open, body]) => `${open}${body})`),
      tie("pattern").map((body) => `^(?:${body})+$`),
    ),
  })).pattern;
}

const texts = fc.array(
  fc
    .array(fc.constantFrom("a", "b", "1", "_", "-", " ", "\n", "é", "A", "😀", "\ud83d"), {
      maxLength: 7,
    })
    .map((characters) => characters.join("")),
  { minLength: 1, maxLength: 6 },
);

/**
 * V8 also begins empty matches between the halves of a character, which the specification
 * (RegExpBuiltinExec, AdvanceStringIndex) does not.
 */
function isBetweenHalves({ unicode }: RegExp, text: string, index: number): boolean {
  return unicode && index > 0 && (text.codePointAt(index - 1) ?? 0) > 0xffff;
}

/** The texts whose matches differ from those of the native engine. */
function disagreements(pattern: string, texts: readonly string[]): string[] {
  const expression = native(pattern);
  if (expression === undefined) return [];
  const linear = linearMatcher(parsePattern(pattern, expression.unicode), expression.unicode);
  const chosen = linearRegExp(pattern, "u");
  return texts.filter((text) => {
    const found = expression.exec(text);
    if (found !== null && isBetweenHalves(expression, text, found.index)) return false;
    return linear(text) !== (found !== null) || chosen.test(text) !== (found !== null);
  });
}

describe("a linear regular expression", () => {
  test("matches the same texts as the native one", () => {
    fc.assert(
      fc.property(patterns(atom), texts, (pattern, texts) => {
        expect(disagreements(pattern, texts)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  test("matches the same with legacy syntax, too", () => {
    const atoms = fc.oneof(atom, fc.constantFrom(...loose));
    fc.assert(
      fc.property(patterns(atoms), texts, (pattern, texts) => {
        expect(disagreements(pattern, texts)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test("is the native one only if that takes linear time", async () => {
    const atoms = fc.constantFrom("a", "b", "c", "ab", "[ab]", "[^a]", ".", "\\w", "a*", "b+");
    const endings = fc.constantFrom("", "!", "b", "c\n");
    await fc.assert(
      fc.asyncProperty(fc.boolean(), patterns(atoms), atoms, endings, async (...drawn) => {
        const [anchored, body, unit, end] = drawn;
        const pattern = `${anchored ? "^" : ""}(?:${body})$`;
        if (native(pattern) === undefined || !isNativePattern(pattern)) return;
        const expression = new RegExp(pattern, "u");
        const spent = await cpuMilliseconds(() => expression.test(unit.repeat(20_000) + end));
        expect(spent).toBeLessThan(linearWorkMs);
      }),
      { numRuns: inFullRun(1000, 25) },
    );
  });

  test.each<[string, string]>([
    ["^(a+)+$", "a"],
    ["^(a|a)*$", "a"],
    ["^(a|aa)+$", "a"],
    ["(x+x+)+y", "x"],
    ["^(?:a?){30}a{30}$", "a"],
    ["a*a*a*a*a*b", "a"],
    ["a+b", "a"],
    ["^\\s*\\s*$", " "],
    ["(.*,){25}x", ","],
    ["^(?=(a+)+$)", "a"],
    ["(?<!(a|aa)+c)b", "a"],
    ["^(\\p{L}|\\p{Ll})+$", "é"],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", "a"],
  ])("%s does work in proportion to a text that nearly matches", (pattern, unit) => {
    const expression = linearRegExp(pattern, "u");
    const workFor = (size: number): number => {
      allowWork(1e9);
      expect(expression.test(`${unit.repeat(size)}!`)).toBe(false);
      return 1e9 - remainingWork();
    };
    // Building the automaton is work that is done once.
    workFor(10);
    expect(workFor(40_000)).toBeLessThan(5 * workFor(10_000));
  });

  test("accounts for its work, which depends only on the text", () => {
    const expression = linearRegExp("^(?:a?){1000}b", "u");
    allowWork(1e6);
    expect(() => expression.test("a".repeat(100_000))).toThrow(/more work/);
    allowWork(1e7);
    expect(linearRegExp("^(a+)+$", "u").test(`${"a".repeat(100_000)}!`)).toBe(false);
  });

  test("is printed as the native one, flags included: Ajv distinguishes them by that", () => {
    expect(String(linearRegExp("^a", "u"))).toBe("/^a/u");
    expect(String(linearRegExp("^\\_", "u"))).toBe("/^\\_/");
  });

  test.each([
    ["a back-reference", "^(a+)\\1$"],
    ["a named back-reference", "^(?<x>a+)\\k<x>$"],
    ["tens of thousands of states", "^(?:a|ab){20000}$"],
    ["a count above all limits", "(?:a?){99999999999}b"],
    ["nested look-arounds without end", "(?=a)".repeat(21)],
    ["nested groups without end", `${"(".repeat(300)}a${")*".repeat(300)}$`],
  ])("%s is refused with its reason", (_, pattern) => {
    expect(() => linearRegExp(pattern, "u")).toThrow(
      /^pattern "[^\n]{1,101}" cannot be checked in bounded time$/,
    );
  });

  test("an invalid regular expression is invalid here, too", () => {
    expect(() => linearRegExp("(", "u")).toThrow(SyntaxError);
    expect(() => parsePattern("(?i:a)", true)).toThrow(UnreadablePattern);
  });
});

describe("common patterns", () => {
  const zod = Object.values(regexes).filter((value) => value instanceof RegExp);

  test.each(zod.map(({ source }) => [source]))("Zod's %s is accepted", (source) => {
    const texts = ["a@b.co", "2026-01-31", "P1DT2H", "10.0.0.1", "::1", "QUJD", "😀", ""];
    expect(disagreements(source, texts)).toEqual([]);
  });

  test("Zod's for mail addresses, which has a look-ahead, matches only addresses", () => {
    const mail = linearRegExp(
      "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
      "u",
    );
    expect(["a@b.co", "a.b+c@d-e.com"].map((text) => mail.test(text))).toEqual([true, true]);
    expect(["a..b@c.co", ".a@b.co"].map((text) => mail.test(text))).toEqual([false, false]);
  });

  // From the documents of GitHub, DigitalOcean, ReadMe, Stripe and others.
  test.each([
    ["^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$"],
    ["^ssh-(rsa|dss|ed25519) |^ecdsa-sha2-nistp(256|384|521) "],
    ["^([0-9a-fA-F]{40}(?:[0-9a-fA-F]{24})?)$"],
    ["^refs/(heads|tags|pull)/.*$"],
    ["(me|[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*)"],
    ["(v{0,1})(stable|([0-9]+)(?:\\.([0-9]+))?(?:\\.([0-9]+))?(-.*)?)(_(.*))?"],
    ["(([a-z0-9-_ ]|[^\\\\x00-\\\\x7F])+.(json|yaml|yml))"],
    ["^(?:#[0-9a-fA-F]{3}|#[0-9a-fA-F]{4}|#[0-9a-fA-F]{6}|#[0-9a-fA-F]{8})$"],
    ["^[a-z][a-z0-9-]{0,30}[a-z0-9]$"],
    ["^((xn--)?[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*\\.)+[a-zA-Z]{2,}\\.?$"],
    ["^$|[0-9a-f]{8}\\b-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-\\b[0-9a-f]{12}"],
    ["^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?(\\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)+$"],
    ["^[A-Z_]*(,[A-Z_]+)*$"],
    ["^$|^((25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\\.){3}(25[0-5]|[01]?[0-9][0-9]?)$"],
    ["^[a-zA-Z0-9_\\-\\:]+$"],
    [".+\\.[Jj][Ss][Oo][Nn][Ll]$"],
    ["^(?:{[0-9a-fA-F]{4}(?:-?[0-9a-fA-F]{4}){7}}|[0-9a-fA-F]{4}(?:-?[0-9a-fA-F]{4}){7})$"],
  ])("%s is accepted", (pattern) => {
    const texts = [
      "",
      "QUJD",
      "ssh-rsa AAAA",
      "refs/heads/main",
      "v1.2-beta_x",
      "a b.yaml",
      "#a0b1c2",
      "a-b-9",
      "xn--a.example.com.",
      "3b241101-e2bb-4255-8caf-4136c566a962",
      "10.0.0.255",
      "A_B,C",
      "{0123-4567-89ab-cdef-0123-4567-89ab-cdef}",
      "0123".repeat(10),
    ];
    expect(disagreements(pattern, texts)).toEqual([]);
  });
});
