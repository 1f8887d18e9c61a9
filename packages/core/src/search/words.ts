/** A longer word is cut: no language has one, and encoded data does. */
const maxWordLength = 40;
/** Scripts that put no space between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Where a word begins within a name: `list|Pull|Requests`, `HTTP|Server`. */
const wordStarts = /(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;

/** Words that do not indicate a text's subject. */
const stopWords: ReadonlySet<string> = toWordSet(`
a about after again against all also am an and any anyone anything are aren as at be because been
before being both but by cannot could couldn d did didn do does doesn doing don during each either
else ever every few for from further had has have having he her here hers him his how i if in into
is isn it its itself just let ll m may me might mine more most much must my myself neither no nor
not now of off on once only onto or other others our ours out over own per re s same shall she should
since so some someone something such t than that the their theirs them themselves then there these
they this those though through thus to too under until up upon us ve very via was we well were what
when where whether which while who whom whose why will with within without would yet you your yours
yourself`);
/** Words in which people ask for help with anything, and that weigh little in a question. */
const askingWords: ReadonlySet<string> = toWordSet(`
able assist assistance best bit can certain curious different easily find finding get gets getting give
good hello help hey hi interested kind know like looking lot make mind need needed needs new particular
please possible provide quickly really show some sort specific suggest sure tell thank thanks thing
things try type use used using various want wants way wish wondering`);

function toWordSet(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}

/** Whether a word, in lower case, is one that every text has. */
export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}

/** Whether a word, in lower case, belongs to the asking rather than to what is asked for. */
export function isAskingWord(word: string): boolean {
  return askingWords.has(word);
}

/** The beginning of a text, of this length, without the addresses and HTML tags in it. */
export function withoutMarkup(text: string, length: number): string {
  return text.slice(0, length).replace(/https?:\/\/\S*|<\/?[a-z][^<>]{0,200}>/gi, " ");
}

/**
 * The words of a text in lower case, names in any style taken apart (`listPullRequests`, `HTTPServer`,
 * `list_pull-requests`), those of two words also as one (`GitHub`), accents removed. Text without
 * spaces between words comes in overlapping pairs of characters.
 *
 * @param most characters of the text that are read.
 */
export function splitWords(text: string, most: number): readonly string[] {
  let plain = text.slice(0, most);
  if (!/^[\0-\x7f]*$/.test(plain)) {
    const bare = plain.normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
    plain = bare.normalize("NFKC").slice(0, most);
  }
  const words: string[] = [];
  for (const run of plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []) {
    const lower = run.toLowerCase();
    if (run.length > 1 && unspaced.test(run)) words.push(...pairs(lower));
    else if (lower === run) words.push(run.slice(0, maxWordLength));
    else {
      const parts = run.replace(wordStarts, " ").toLowerCase().split(" ");
      for (const part of parts) words.push(part.slice(0, maxWordLength));
      if (parts.length === 2) words.push(lower.slice(0, maxWordLength));
    }
  }
  return words;
}

/** A name with spaces between its words, which keep their case. */
export function splitName(name: string): string {
  return name.replace(/[_-]+/g, " ").replace(wordStarts, " ");
}

function pairs(text: string): readonly string[] {
  const points = Array.from(text);
  return points.length < 2
    ? points
    : points.slice(1).map((point, index) => `${points[index]}${point}`);
}

/** Forms of words that no rule derives, before their base forms. */
const irregularForms = new Map(
  `analyses analysis:analyze assignee assignees:assign ate eaten:eat attendee attendees:attend began begun:begin
  bought:buy broke broken:break brought:bring built:build caught:catch children:child chose chosen:choose
  drawn drew:draw fallen fell:fall flew flown:fly forgot forgotten:forget found:find frozen froze:freeze gave given:give
  gone went:go grew grown:grow heard:hear held:hold hidden hid:hide invitee invitees:invite kept:keep knew known:know
  learnt:learn left:leave lost:lose made making:make meant:mean men:man met:meet paid payee:pay people:person ran:run
  rode:ride said:say sang:sing saw seen:see sent:send shot:shoot shown:show slept:sleep sold:sell spent:spend
  spoke spoken:speak stole stolen:steal swam:swim taken took:take taught:teach thought:think threw thrown:throw told:tell
  understood:understand women:woman won:win wore worn:wear written wrote:write`
    .match(/[^:]+:\S+/g)
    ?.flatMap((row) => {
      const [forms = "", base = ""] = row.split(":");
      return forms
        .trim()
        .split(/\s+/)
        .map((form) => [form, base] as const);
    }),
);

/** The stem of the base form of a word in lower case. */
export function baseStem(word: string): string {
  return stem(irregularForms.get(word) ?? word);
}

/** {@link baseStem}, remembered: the same words come again and again while tools are read. */
export function stemmer(): (word: string) => string {
  const known = new Map<string, string>();
  return (word) => {
    let found = known.get(word);
    if (found === undefined) {
      if (known.size >= 50_000) known.clear();
      known.set(word, (found = baseStem(word)));
    }
    return found;
  };
}

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
