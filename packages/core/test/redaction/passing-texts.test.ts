import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SecretSet } from "@toolweave/core/adapter";
import { RedactingStream } from "../../src/redaction/secret-redactor.ts";
import { SecretFinder } from "../../src/redaction/secret-finder.ts";

function passing(...secrets: readonly string[]): RedactingStream {
  const sets = [new SecretSet(secrets)];
  return new RedactingStream([new SecretFinder(() => sets, true)]);
}

function passThrough(texts: readonly string[], ...secrets: readonly string[]): string[] {
  const passes = passing(...secrets);
  return texts.map((text) => passes.next(text));
}

const secret = "tok_4f9a0c2b7d1e";

describe("SE07: consecutive texts", () => {
  test.each<[string, string[], string[]]>([
    ["without a secret, unchanged", ["Step 1:", "Step 2:", "bits"], ["Step 1:", "Step 2:", "bits"]],
    ["with one, redacted", [`a ${secret} b`, "c"], ["a [redacted] b", "c"]],
    ["with one at the end, at once", [`a ${secret}`, "c"], ["a [redacted]", "c"]],
    ["with one in two pieces", ["a tok_4f9a", "0c2b7d1e b"], ["a ", "[redacted] b"]],
    ["with one in three", ["a tok_4", "f9a0c", "2b7d1e b"], ["a ", "", "[redacted] b"]],
    [
      "of which each contains the one before",
      ["a tok_4", `a ${secret} b`],
      ["a ", "a [redacted] b"],
    ],
    ["with a text that only begins like one", ["a tok_4", " other"], ["a ", " other"]],
    ["with one in base64", ["x dG9rXzRmOW", "EwYzJiN2QxZQ== y"], ["x ", "[redacted]== y"]],
    ["with an escape cut in two", ["tok\\u005", "f4f9a0c2b7d1e."], ["", "[redacted]."]],
  ])("%s", (_, texts, expected) => {
    const passed = passThrough(texts, secret);
    expect(passed.map((text) => text.replaceAll(/\[redacted\][a-zA-Z]?/g, "[redacted]"))).toEqual(
      expected,
    );
  });

  test("a credential is held back by its pattern", () => {
    const credential = `ghp_${"a1B2c3".repeat(6)}`;
    expect(passThrough([`a ${credential.slice(0, 12)}`, `${credential.slice(12)} b`])).toEqual([
      "a ",
      "[redacted] b",
    ]);
  });

  test("however it is cut, no more than three characters of it pass", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(secret.length), { maxLength: 6 }), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), secret.length];
        const pieces = at.slice(1).map((end, index) => secret.slice(at[index], end));
        const passed = passThrough(["- ", ...pieces, " -"], secret).join("");
        for (let from = 0; from + 4 <= secret.length; from++) {
          expect(passed).not.toContain(secret.slice(from, from + 4));
        }
      }),
    );
  });
});
