import { truncate } from "@toolweave/core/adapter";
/** Maximum length of a cached text: longer ones are rarely repeated. */
const maxKeyLength = 2000;
/** Maximum number of entries; then the cache is cleared. */
const maxEntries = 4000;

/** Memoizes a function of a text: operations of a document repeat the same descriptions hundreds of times. */
function memoize<T extends NonNullable<unknown>>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    if (text.length > maxKeyLength) return make(text);
    let made = known.get(text);
    if (made === undefined) {
      made = make(text);
      if (known.size === maxEntries) known.clear();
      known.set(text, made);
    }
    return made;
  };
}

/** Number of characters after the budget that are read, because parts of the text may be omitted. */
const readAhead = 2000;

const linkMark = "\u0001";

/** HTML tags in Markdown; `<id>` and other placeholders are not tags. */
const tags =
  /<\/?(?:p|br|b|i|u|em|strong|code|pre|a|ul|ol|li|div|span|small|sup|sub|img|table|tr|td|th|tbody|thead|h[1-6]|details|summary|blockquote|hr)(?:\s[^<>]*)?\/?>/gi;

/** Matches a sentence that only refers to a page, which a model cannot open. */
const pointing =
  /^(?:\(?(?:please )?(?:see|refer|for|to learn|to find|learn|read|check|visit|more)\b|(?:more|further) (?:information|details))/i;

/** Matches a sentence with a restriction, which is more than a reference: `For your safety, never …, see …`. */
const forbidding = /\b(?:not|never|must|cannot|unless|without)\b|n['’]t\b/i;

/** Matches a sentence that only repeats the keyword `default`. */
const ofDefault = /^(?:the )?defaults?(?: value)?(?: is| to|:)? ?["']?[\w.-]*["']?\.?$/i;

/**
 * Abridges a text of a document for a model: its first sentence, and the following ones as far as they fit; without
 * links, markup and references to other pages. `[…]` replaces the rest of a sentence that is too long by itself.
 *
 * @param budget characters of all sentences; the first one alone may have two and a half times as many. 0: nothing.
 */
export function abridgeText(text: string, budget: number): string {
  if (budget === 0) return "";
  let begin = beginnings.get(budget);
  if (begin === undefined) {
    begin = memoize((one) => beginningWithNoun(one, budget));
    beginnings.set(budget, begin);
  }
  return begin(text);
}

/** By budget, of which there are only a few. */
const beginnings = new Map<number, (text: string) => string>();

function beginningWithNoun(text: string, budget: number): string {
  const [first, ...others] = toSentences(text, budget);
  if (first === undefined) return "";
  const noun = first.replace(/^(?:The|An?) (?=\p{Ll})/u, "");
  const begin = noun === first ? first : noun.charAt(0).toUpperCase() + noun.slice(1);
  return joinFitting([begin, ...others], budget);
}

/**
 * Abridges a summary and the text that it summarizes. A sentence of the text that only repeats the summary is omitted.
 *
 * @param name the tool's name: a summary of the same words is omitted if the text contains any sentence.
 */
export function abridgeSummary(
  summary: string,
  text: string,
  name: string,
  budget: number,
): string {
  const known = new Set(toStems(summary));
  const [first, ...others] = toSentences(text, budget);
  const isRepeated = first !== undefined && toStems(first).every((word) => known.has(word));
  const remaining = isRepeated || first === undefined ? others : [first, ...others];
  const begin = toSentences(summary, budget).join(" ");
  const isName = remaining.length > 0 && splitWords(begin).join() === splitWords(name).join();
  if (begin === "" || isName) return joinFitting(remaining, budget);
  return joinFitting([begin, ...remaining], budget);
}

function joinFitting(all: readonly string[], budget: number): string {
  let kept = "";
  for (const sentence of all) {
    if (kept === "") {
      const maxLength = 2.5 * budget;
      if (sentence.length > maxLength) return `${truncateText(sentence, maxLength)} […]`;
      kept = sentence;
    } else {
      if (kept.length + 1 + sentence.length > budget) break;
      kept += /[.!?…:]$/.test(kept) ? ` ${sentence}` : `. ${sentence}`;
    }
  }
  return kept;
}

/** Returns the text itself, or as many paragraphs of it as fit, and `[…]`. */
export function fitText(text: string, budget: number): string {
  if (text.length <= budget || budget === 0) return budget === 0 ? "" : text;
  let kept = "";
  for (const paragraph of text
    .slice(0, budget + 1)
    .split(/\n[ \t]*\n\s*/)
    .slice(0, -1)) {
    kept = kept === "" ? paragraph : `${kept}\n\n${paragraph}`;
  }
  return `${kept === "" ? truncateText(text, budget) : kept} […]`;
}

/** Splits a text into the sentences that are useful to a model, without markup. */
function toSentences(text: string, budget: number): string[] {
  const found: string[] = [];
  for (const paragraph of toParagraphs(text.slice(0, budget + readAhead))) {
    for (const part of paragraph.split(/(?<=[.!?]["')]?)\s+(?=["'(]?[A-Z0-9])/)) {
      const isPointing = pointing.test(part) && (part.includes(linkMark) || /\bsee\b/i.test(part));
      if ((isPointing && !forbidding.test(part)) || ofDefault.test(part.trim())) continue;
      const sentence = part.replaceAll(linkMark, "").trim();
      if (sentence !== "") found.push(sentence);
    }
  }
  return found;
}

function toParagraphs(text: string): string[] {
  return toPlainText(text)
    .split(/\n[ \t]*\n|\n(?=\s*(?:[-*+]|\d+\.)\s)/)
    .map((paragraph) => paragraph.replace(/\s{2,}|[^\S ]/g, " ").trim());
}

/** Removes Markdown and HTML; a mark replaces each link. */
function toPlainText(text: string): string {
  if (!/[[\]`*<>#|]|https?:/.test(text)) return text;
  return text
    .replace(/^[ \t]*>[ \t]?/gm, "")
    .replace(/^\[!\w+\]\s*/gm, "")
    .replace(/^#{1,6}[ \t]+(.*)$/gm, "$1\n")
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[([^\]]+)\]\([^)\s]*\)/g, `$1${linkMark}`)
    .replace(/<?https?:\/\/[^\s<>)\]]+>?/g, linkMark)
    .replace(tags, " ")
    .replace(/\*\*|__(?=\w)|(?<=\w)__/g, "")
    .replaceAll("`", "");
}

/** Truncates a text after a complete word; a surrogate pair is not split. */
function truncateText(sentence: string, budget: number): string {
  const beginning = truncate(sentence, budget);
  return beginning.replace(/[\s,;:(]*\S*$/, "") || beginning;
}

/** Splits a text into words, in lower case and without a trailing `s`. */
export const splitWords: (text: string) => readonly string[] = memoize((text) => {
  const words = text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/['’]s\b/g, "")
    .toLowerCase();
  // The second one takes several times as long.
  const isAscii = !/[^\0-\x7f]/.test(words);
  return (words.match(isAscii ? /[a-z\d]+/g : /[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word,
  );
});

/** Words that contain no information in a description. */
const fillers: ReadonlySet<string> = new Set(
  splitWords(
    "a account an and are array associated be belongs by fetch for from get given has id identified identifier identifies identify in is it its list name number object of on or parameter result return returned specified that the this to unique uniquely use used value whether whose with you your",
  ),
);

/**
 * Returns true if a text only repeats names: `The unique identifier of the gist.` for `gist_id`.
 *
 * @param names words of the tool's and its arguments' names.
 * @param own words of the described name.
 */
export function isRedundant(
  text: string,
  names: ReadonlySet<string>,
  own: readonly string[],
): boolean {
  if (text.length > 80) return false;
  return splitWords(text).every(
    (word) =>
      fillers.has(word) ||
      startsWithKnownName(word, names) ||
      own.some((name) => startsWithName(word, name)),
  );
}

function startsWithKnownName(word: string, names: ReadonlySet<string>): boolean {
  for (let end = 2; end <= word.length; end++) if (names.has(word.slice(0, end))) return true;
  return false;
}

function startsWithName(word: string, name: string): boolean {
  return name.length > 1 && word.startsWith(name);
}

/** Returns the prefixes of words that are sufficient to compare texts. */
function toStems(text: string): string[] {
  return splitWords(text)
    .filter((word) => !fillers.has(word))
    .map((word) => word.slice(0, 6));
}
