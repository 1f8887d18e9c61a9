import { checkAnswers } from "../calling/sample-answers.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import type { Finding } from "../contract/finding.ts";
import { hasLoneSurrogate } from "../reading/lone-surrogate.ts";
import { textsOf } from "../reading/returned-output.ts";

/** What stands for bytes that were no text. */
const replacement = "\u{fffd}";

/** A text has some of them now and then; what was never text has them all over. */
const mostReplaced = 0.1;

/** The texts of an answer. */
export const answerTextChecks: readonly Check[] = [
  check("TW-RESULT-009", (context) =>
    checkTexts(context, "Looked for bytes in each text", (text) => {
      if (text.includes("\0")) {
        return "answers with a text that holds NUL: return the bytes themselves, or an image, a sound or a resource";
      }
      const replaced = text.split(replacement).length - 1;
      return replaced >= 8 && replaced > text.length * mostReplaced
        ? "answers with bytes that were read as text: return the bytes themselves"
        : undefined;
    }),
  ),

  check("TW-RESULT-012", (context) =>
    checkTexts(context, "Looked for lone surrogates in each text", (text) =>
      hasLoneSurrogate(text)
        ? "answers with a text that holds half of a character: cut texts between characters"
        : undefined,
    ),
  ),

  check("TW-RESULT-014", (context) =>
    checkTexts(context, "Looked for JSON in JSON in each text", (text) =>
      isEncodedTwice(text)
        ? "answers with JSON that is encoded twice: a model reads every quote escaped"
        : undefined,
    ),
  ),
];

function checkTexts(
  context: CheckContext,
  done: string,
  wrongOf: (text: string) => string | undefined,
): Promise<Finding> {
  return checkAnswers(
    context,
    done,
    (answer) => {
      for (const text of textsOf(answer)) {
        const wrong = wrongOf(text);
        if (wrong !== undefined) return { wrong, seen: JSON.stringify(text) };
      }
      return undefined;
    },
    {
      of: (answer) => textsOf(answer).length > 0,
      none: "No sample call answers with a text.",
    },
  );
}

/** The text is the JSON of a text that is the JSON of an object or a list. */
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
