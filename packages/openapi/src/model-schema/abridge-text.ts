import { memoize } from "./memoize.ts";

/** Characters behind the budget that are looked at: what they hold may be left out. */
const readAhead = 2000;

const linkMark = "\u0001";

/** HTML that documents mix into Markdown; `<id>` and other placeholders are not meant. */
const tags =
  /<\/?(?:p|br|b|i|u|em|strong|code|pre|a|ul|ol|li|div|span|small|sup|sub|img|table|tr|td|th|tbody|thead|h[1-6]|details|summary|blockquote|hr)(?:\s[^<>]*)?\/?>/gi;

/** A sentence that does nothing but lead to a page, which a model does not open. */
const pointing =
  /^(?:\(?(?:please )?(?:see|refer|for|to learn|to find|learn|read|check|visit|more)\b|(?:more|further) (?:information|details))/i;

/** What takes something back is no mere pointer: `For your safety, never …, see …`. */
const forbidding = /\b(?:not|never|must|cannot|unless|without)\b|n['’]t\b/i;

/** What the keyword `default` says already. */
const ofDefault = /^(?:the )?defaults?(?: value)?(?: is| to|:)? ?["']?[\w.-]*["']?\.?$/i;

/**
 * What a model reads of a text of a document: its first sentence, and the next ones as far as they fit; without links,
 * markup and references to other pages. `[…]` stands for the rest of a sentence that is too long by itself.
 *
 * @param budget characters of all sentences; the first one alone may take two and a half times as many. 0: nothing.
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

/** By budget, of which there are a few. */
const beginnings = new Map<number, (text: string) => string>();

function beginningWithNoun(text: string, budget: number): string {
  const [first, ...others] = sentences(text, budget);
  if (first === undefined) return "";
  const noun = first.replace(/^(?:The|An?) (?=\p{Ll})/u, "");
  const begin = noun === first ? first : noun.charAt(0).toUpperCase() + noun.slice(1);
  return fitting([begin, ...others], budget);
}

/**
 * The same of a summary and the text it summarises, of which a sentence that only repeats it is left out.
 *
 * @param name what is read beside it: a summary of the same words is left out where the text says anything.
 */
export function abridgeSummary(
  summary: string,
  text: string,
  name: string,
  budget: number,
): string {
  const known = new Set(stems(summary));
  const [first, ...others] = sentences(text, budget);
  const isRepeated = first !== undefined && stems(first).every((word) => known.has(word));
  const told = isRepeated || first === undefined ? others : [first, ...others];
  const begin = sentences(summary, budget).join(" ");
  const isName = told.length > 0 && splitWords(begin).join() === splitWords(name).join();
  if (begin === "" || isName) return fitting(told, budget);
  return fitting([begin, ...told], budget);
}

function fitting(all: readonly string[], budget: number): string {
  let kept = "";
  for (const sentence of all) {
    if (kept === "") {
      const most = 2.5 * budget;
      if (sentence.length > most) return `${truncateText(sentence, most)} […]`;
      kept = sentence;
    } else {
      if (kept.length + 1 + sentence.length > budget) break;
      kept += /[.!?…:]$/.test(kept) ? ` ${sentence}` : `. ${sentence}`;
    }
  }
  return kept;
}

/** The text itself, or whole paragraphs of it as far as they fit, and `[…]`. */
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

/** The sentences of a text that tell a model something, without markup. */
function sentences(text: string, budget: number): string[] {
  const found: string[] = [];
  for (const paragraph of paragraphs(text.slice(0, budget + readAhead))) {
    for (const part of paragraph.split(/(?<=[.!?]["')]?)\s+(?=["'(]?[A-Z0-9])/)) {
      const isPointing = pointing.test(part) && (part.includes(linkMark) || /\bsee\b/i.test(part));
      if ((isPointing && !forbidding.test(part)) || ofDefault.test(part.trim())) continue;
      const sentence = part.replaceAll(linkMark, "").trim();
      if (sentence !== "") found.push(sentence);
    }
  }
  return found;
}

function paragraphs(text: string): string[] {
  return plain(text)
    .split(/\n[ \t]*\n|\n(?=\s*(?:[-*+]|\d+\.)\s)/)
    .map((paragraph) => paragraph.replace(/\s+/g, " ").trim());
}

/** Without Markdown and HTML; a mark stays where a link was. */
function plain(text: string): string {
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

/** Up to a whole word; a character of two UTF-16 units is not cut in half. */
function truncateText(sentence: string, budget: number): string {
  const beginning = sentence.slice(0, budget).replace(/[\ud800-\udbff]$/, "");
  return beginning.replace(/[\s,;:(]*\S*$/, "") || beginning;
}

/** In lower case, without an ending `s`. */
export const splitWords: (text: string) => readonly string[] = memoize((text) => {
  const words = text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/['’]s\b/g, "")
    .toLowerCase();
  return (words.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word,
  );
});

/** What a text says of anything. */
const fillers: ReadonlySet<string> = new Set(
  splitWords(
    "a account an and are array associated be belongs by fetch for from get given has id identified identifier identifies identify in is it its list name number object of on or parameter result return returned specified that the this to unique uniquely use used value whether whose with you your",
  ),
);

/**
 * True when a text says nothing but names: `The unique identifier of the gist.` for `gist_id`.
 *
 * @param names words of what it belongs to.
 * @param own words of what is described.
 */
export function isRedundant(
  text: string,
  names: ReadonlySet<string>,
  own: readonly string[],
): boolean {
  if (text.length > 80) return false;
  return splitWords(text).every(
    (word) =>
      fillers.has(word) || beginsWithName(word, names) || own.some((name) => begins(word, name)),
  );
}

function beginsWithName(word: string, names: ReadonlySet<string>): boolean {
  for (let end = 2; end <= word.length; end++) if (names.has(word.slice(0, end))) return true;
  return false;
}

function begins(word: string, name: string): boolean {
  return name.length > 1 && word.startsWith(name);
}

/** What tells words apart well enough to compare texts. */
function stems(text: string): string[] {
  return splitWords(text)
    .filter((word) => !fillers.has(word))
    .map((word) => word.slice(0, 6));
}
