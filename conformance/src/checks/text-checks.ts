import { check, type Check } from "../context/check.ts";
import { described, checkEach } from "../reading/check-each.ts";
import { hiddenCharacter } from "../reading/hidden-characters.ts";
import { hasLoneSurrogate } from "../reading/lone-surrogate.ts";
import { allTexts, readTexts } from "../reading/read-texts.ts";

/** What a model reads of a spec. */
export const textChecks: readonly Check[] = [
  check("TW-SPEC-021", async (context) => {
    const { tools } = await context.subject();
    const done = "Looked for characters that nobody sees in the texts of each spec";
    return checkEach(described(tools), done, ({ spec }) => {
      for (const { path, text } of readTexts(spec)) {
        const character = hiddenCharacter(text);
        if (character !== undefined) {
          const wrong = `has the invisible or direction-changing character ${character} at ${path}: take it out`;
          return { wrong, seen: JSON.stringify(text) };
        }
      }
      return undefined;
    });
  }),

  check("TW-SPEC-024", async (context) => {
    const { tools } = await context.subject();
    return checkEach(described(tools), "Looked for broken characters in each spec", ({ spec }) => {
      const broken = allTexts(spec).find(({ text }) => hasLoneSurrogate(text));
      return broken === undefined
        ? undefined
        : {
            wrong: `has half a character at ${broken.path}: a text was cut within one`,
            seen: JSON.stringify(broken.text),
          };
    });
  }),
];
