const consonants = "[^aeiou][^aeiouy]*";
const vowels = "[aeiouy][aeiou]*";
/** The stem has at least one vowel-consonant sequence, exactly one, more than one; has a vowel at all. */
const some = new RegExp(`^(?:${consonants})?${vowels}${consonants}`);
const one = new RegExp(`^(?:${consonants})?${vowels}${consonants}(?:${vowels})?$`);
const many = new RegExp(`^(?:${consonants})?(?:${vowels}${consonants}){2}`);
const vowel = new RegExp(`^(?:${consonants})?[aeiouy]`);
const short = new RegExp(`^${consonants}[aeiouy][^aeiouwxy]$`);

const derived: Readonly<Record<string, string>> = {
  ational: "ate",
  tional: "tion",
  enci: "ence",
  anci: "ance",
  izer: "ize",
  bli: "ble",
  alli: "al",
  entli: "ent",
  eli: "e",
  ousli: "ous",
  ization: "ize",
  ation: "ate",
  ator: "ate",
  alism: "al",
  iveness: "ive",
  fulness: "ful",
  ousness: "ous",
  aliti: "al",
  iviti: "ive",
  biliti: "ble",
  logi: "log",
};
const adjectives: Readonly<Record<string, string>> = {
  icate: "ic",
  ative: "",
  alize: "al",
  iciti: "ic",
  ical: "ic",
  ful: "",
  ness: "",
};
const derivedEnd = new RegExp(`(?:${Object.keys(derived).join("|")})$`);
const adjectiveEnd = new RegExp(`(?:${Object.keys(adjectives).join("|")})$`);
const lastEnd =
  /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|ou|(?<=[st])ion)$/;

/**
 * Reduces English forms of a word to their common stem: `connections` and `connecting` are `connect`. Words of other
 * scripts, short words and words with digits stay as they are.
 *
 * @param word in lower case.
 * @see M. F. Porter, An algorithm for suffix stripping, Program 14 (1980), with its author's later changes (`bli`,
 * `logi`): https://tartarus.org/martin/PorterStemmer/
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let text = word.replace(/^y/, "Y").replace(/(ss|i)es$|([^s])s$/, "$1$2");
  text = withoutTense(text);
  if (text.endsWith("y") && vowel.test(text.slice(0, -1))) text = `${text.slice(0, -1)}i`;
  text = replaced(text, derivedEnd, some, derived);
  text = replaced(text, adjectiveEnd, some, adjectives);
  text = replaced(text, lastEnd, many);
  if (text.endsWith("e")) {
    const rest = text.slice(0, -1);
    if (many.test(rest) || (one.test(rest) && !short.test(rest))) text = rest;
  }
  if (text.endsWith("ll") && many.test(text)) text = text.slice(0, -1);
  return text.toLowerCase();
}

function withoutTense(word: string): string {
  if (word.endsWith("eed")) return some.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const rest = word.replace(/(?:ed|ing)$/, "");
  if (rest === word || !vowel.test(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest) || short.test(rest)) return `${rest}e`;
  return rest.replace(/([^aeiouylsz])\1$/, "$1");
}

/** With another end, when what comes before it is long enough. */
function replaced(
  word: string,
  end: RegExp,
  enough: RegExp,
  by: Readonly<Record<string, string>> = {},
): string {
  const found = end.exec(word);
  if (found === null) return word;
  const rest = word.slice(0, found.index);
  return enough.test(rest) ? rest + (by[found[0]] ?? "") : word;
}
