import { keywords } from "@toolweave/core/adapter";

/** The keywords that can be misspelt. */
const keywordsByLetters = new Map(
  keywords
    .filter((keyword) => !keyword.startsWith("$"))
    .map((keyword) => [normalizeKeyword(keyword), keyword]),
);

/**
 * The keyword that a key stands for, in other case or with other separators: `minLength` for
 * `min_length`. `undefined` for other keys, such as custom keywords.
 */
export function findKeyword(key: string): string | undefined {
  return keywordsByLetters.get(normalizeKeyword(key));
}

function normalizeKeyword(key: string): string {
  return key.toLowerCase().replace(/[_ -]/g, "");
}
