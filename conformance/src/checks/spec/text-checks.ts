import { defineCheck, type Check } from "../../context/check.ts";
import { withReadableSpec, checkEach } from "../../faults/check-each.ts";
import { findHiddenCharacter, hasLoneSurrogate } from "../../faults/hidden-characters.ts";
import { getAllTexts, getWrittenTexts } from "../../faults/spec-texts.ts";

/** Checks of texts that a model reads. */
export const textChecks: readonly Check[] = [
  defineCheck("TW-SPEC-021", async (context) => {
    const { tools } = await context.subject();
    const done = "Looked for invisible characters in the texts of each spec";
    return checkEach(withReadableSpec(tools), done, ({ spec }) => {
      for (const { path, text } of getWrittenTexts(spec)) {
        const character = findHiddenCharacter(text);
        if (character !== undefined) {
          const wrong = `has the invisible or direction-changing character ${character} at ${path}: remove it`;
          return { wrong, seen: JSON.stringify(text) };
        }
      }
      return undefined;
    });
  }),

  defineCheck("TW-SPEC-024", async (context) => {
    const { tools } = await context.subject();
    return checkEach(
      withReadableSpec(tools),
      "Looked for broken characters in each spec",
      ({ spec }) => {
        const broken = getAllTexts(spec).find(({ text }) => hasLoneSurrogate(text));
        return broken === undefined
          ? undefined
          : {
              wrong: `has a lone surrogate at ${broken.path}: a text was truncated within a character`,
              seen: JSON.stringify(broken.text),
            };
      },
    );
  }),
];
