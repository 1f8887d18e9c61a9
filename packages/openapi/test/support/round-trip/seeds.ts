import fc from "fast-check";
import { beforeAll } from "vitest";
import { inFullRun } from "@toolweave/test-support";

/** The number of runs of a property: all of them in a full run, a fifth in a quick one. */
const runs = Number(process.env["TOOLWEAVE_RUNS"] ?? inFullRun(1, 0.2));

/**
 * The parameters of a property: `TOOLWEAVE_SEED` sets another one, `TOOLWEAVE_RUNS` multiplies the
 * runs.
 */
export function seeded(seed: number, numRuns: number): { seed: number; numRuns: number } {
  const used = Number(process.env["TOOLWEAVE_SEED"] ?? seed);
  beforeAll(() => console.info(`TOOLWEAVE_SEED=${used}`));
  return { seed: used, numRuns: Math.ceil(numRuns * runs) };
}

/**
 * Texts of all characters that are special in a URL, a header, a cookie, a form or a part; and half
 * a character.
 */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.string({ unit: fc.constantFrom(..."abc019"), minLength: 1, maxLength: 6 }),
  },
  {
    weight: 5,
    arbitrary: fc.string({
      unit: fc.oneof(
        fc.constantFrom(..." ,;&=?/#%+.'\"|[]()!*$@:~-_^`{}<>\\ab12"),
        fc.constantFrom("é", "€", "😀", "\t", "\n", "\r", "\u0000", "\u007f", "ÿ", "\u2028"),
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
      ),
      maxLength: 10,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", " ", "\uD83D", "a\uDE00", "%41", "..", "null", "_method"),
  },
);

/** True for a text that is valid in every place. */
export function isPlain(text: string): boolean {
  return /^[a-zA-Z0-9]+$/.test(text);
}
