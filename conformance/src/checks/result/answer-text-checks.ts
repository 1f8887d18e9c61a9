import { checkAnswers } from "../../calls/sample-answers.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import type { Finding } from "../../contract/finding.ts";
import { hasLoneSurrogate } from "../../faults/hidden-characters.ts";
import { getTexts } from "../../faults/returned-output.ts";

/** The replacement character of invalid bytes. */
const replacementCharacter = "\u{fffd}";

/**
 * The maximum share of replacement characters in a text. Bytes that were decoded as text have more.
 */
const maxReplacedShare = 0.1;

/** Checks of the texts of results. */
export const answerTextChecks: readonly Check[] = [
  defineCheck("TW-RESULT-009", (context) =>
    checkTexts(context, "Looked for bytes in each text", (text) => {
      if (text.includes("\0")) {
        return "returns a text with a NUL character: return the bytes themselves, or an image, an audio block or a resource";
      }
      const replaced = text.split(replacementCharacter).length - 1;
      return replaced >= 8 && replaced > text.length * maxReplacedShare
        ? "returns bytes that were decoded as text: return the bytes themselves"
        : undefined;
    }),
  ),

  defineCheck("TW-RESULT-012", (context) =>
    checkTexts(context, "Looked for lone surrogates in each text", (text) =>
      hasLoneSurrogate(text)
        ? "returns a text with a lone surrogate: truncate texts between characters"
        : undefined,
    ),
  ),

  defineCheck("TW-RESULT-014", (context) =>
    checkTexts(context, "Looked for JSON in JSON in each text", (text) =>
      isEncodedTwice(text)
        ? "returns JSON that is encoded twice, so that every quote is escaped"
        : undefined,
    ),
  ),
];

function checkTexts(
  context: CheckContext,
  done: string,
  describeFault: (text: string) => string | undefined,
): Promise<Finding> {
  return checkAnswers(
    context,
    done,
    (answer) => {
      for (const text of getTexts(answer)) {
        const wrong = describeFault(text);
        if (wrong !== undefined) return { wrong, seen: JSON.stringify(text) };
      }
      return undefined;
    },
    {
      of: (answer) => getTexts(answer).length > 0,
      none: "No sample call returns a text.",
    },
  );
}

/** True if the text is a JSON string whose content is the JSON of an object or a list. */
function isEncodedTwice(text: string): boolean {
  if (!/^\s*"\s*[[{]/.test(text)) return false;
  try {
    const inner: unknown = JSON.parse(text);
    const value: unknown = typeof inner === "string" ? JSON.parse(inner) : undefined;
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
