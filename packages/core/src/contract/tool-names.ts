/**
 * The canonical form of a tool's name: what every large provider accepts unescaped. A letter or
 * underscore, then letters, digits, underscores and hyphens; 64 characters at most.
 */
export const toolNamePattern: RegExp = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** The longest a tool's name may be. */
const maxNameLength = 64;

/** With less room beside a prefix, a name is cut at its end. */
const minWordsLength = 16;

/** The separator of a prefix and a name. */
const prefixSeparator = "__";

/** True when `name` is canonical. */
export function isToolName(name: string): boolean {
  return typeof name === "string" && toolNamePattern.test(name);
}

/**
 * Makes a canonical name out of any text, and keeps the valid characters. A name that had to lose letters or an end
 * gets a short hash of the original, so that two different names never clean to the same one by losing the characters
 * that distinguish them; replacing separators (`/`, `.`, space) and accents alone adds none: see `uniqueNames`.
 */
export function cleanName(name: string): string {
  if (isToolName(name)) return name;
  const plain = name.normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
  let clean = plain.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+|_+$/g, "");
  if (/^-*$/.test(clean)) return `tool_${shortHash(name)}`;
  if (!/^[A-Za-z_]/.test(clean)) clean = `_${clean}`;
  const lost = /[^A-Za-z0-9_-]/u.test(plain.replace(/[\p{P}\p{S}\p{Z}\p{C}]/gu, ""));
  return lost ? withHash(clean, name) : shortenName(clean, { original: name });
}

/** Names with capitals inside that are one word. */
const oneWord = /OAuth|(?<![A-Za-z])(?:oAuth|iOS|macOS|mTLS)|IPv(?=[46])|GraphQL|GitHub|GitLab/g;

/** An acronym in plural: `APIs`, `URLs`. */
const pluralAcronym = /[A-Z]{2,}s(?![a-z])/g;

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}

/** The words of an identifier or a sentence in lower case, as `snakeName` joins them: `listAPIs` → `list`, `apis`. */
export function snakeWords(name: string): readonly string[] {
  return name
    .replace(oneWord, capitalized)
    .replace(pluralAcronym, capitalized)
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/**
 * Makes a `snake_case` name out of an identifier or a sentence: `listEvents` → `list_events`. Acronyms in plural are
 * one word: `listAPIs` → `list_apis`.
 */
export function snakeName(name: string): string {
  const words = snakeWords(name);
  if (words.length === 0) return cleanName(name).toLowerCase();
  // Underscores at either end distinguish names.
  const start = /^[^A-Za-z0-9]/.test(name) ? "_" : "";
  const end = /[^A-Za-z0-9]$/.test(name) ? "_" : "";
  return cleanName(`${start}${words.join("_")}${end}`);
}

/** Options for shortening a name. */
export interface ShortenOptions {
  /** The input of the hash. Default: the name. */
  readonly original?: string;
  /**
   * The words to keep, by position, the most distinctive first: they are kept while they fit, and after them the others
   * from the end. Default: the first and the last.
   */
  readonly keep?: readonly number[];
}

/**
 * Cuts a name to 64 characters: words in the middle go, since the verb stands at the beginning or at the end, and a
 * short, stable hash of `original` follows. A name that is short enough is returned as it is.
 */
export function shortenName(name: string, options: ShortenOptions = {}): string {
  if (name.length <= maxNameLength) return name;
  const hash = shortHash(options.original ?? name);
  return `${fewerWords(name, maxNameLength - hash.length - 1, options.keep)}_${hash}`;
}

/** `name` with as many of its words as `limit` characters have room for. */
function fewerWords(name: string, limit: number, keep?: readonly number[]): string {
  // Each with the separators behind it; the one at the end is taken off.
  const words = `${name}_`.match(/[_-]*[^_-]+[_-]+/g) ?? [];
  const last = words.length - 1;
  const kept = new Set<number>();
  let left = limit + 1;
  const take = (index: number): boolean => {
    const word = words[index];
    if (word === undefined || kept.has(index)) return true;
    if (word.length > left) return false;
    kept.add(index);
    left -= word.length;
    return true;
  };
  for (const index of keep ?? [0, last]) take(index);
  for (let index = last; index >= 0 && take(index); index--);
  const short = words.filter((_, index) => kept.has(index)).join("");
  // One long word is cut within.
  return (kept.has(0) ? short : name.slice(0, limit)).replace(/[_-]+$/, "");
}

/** `prefix__name`, cut to 64 characters: of the name, words in the middle go first. */
export function prefixName(prefix: string, name: string): string {
  const full = `${prefix}${prefixSeparator}${name}`;
  if (full.length <= maxNameLength) return full;
  const hash = shortHash(full);
  const left = maxNameLength - hash.length - 1 - prefix.length - prefixSeparator.length;
  // The hash of an earlier cut adds nothing to the new one.
  const words = name.replace(/_(?=[a-z]*\d)[0-9a-z]{7}$/, "");
  if (left < minWordsLength) {
    return `${full.slice(0, maxNameLength - hash.length - 1).replace(/[_-]+$/, "")}_${hash}`;
  }
  const short = words.length <= left ? words : fewerWords(words, left);
  return `${prefix}${prefixSeparator}${short}_${hash}`;
}

/**
 * Gives each of `originals` a canonical name of its own. A clean name that several of them share
 * goes to the one that is written exactly so, and every other gets a hash of its original: names do
 * not depend on order, and a name that was alone stays when others are added beside it, unless they
 * clean to the same.
 *
 * @param clean how one name is made; default: `cleanName`.
 */
export function uniqueNames(
  originals: readonly string[],
  clean: (name: string) => string = cleanName,
): string[] {
  const names = originals.map(clean);
  const count = new Map<string, number>();
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1);
  const taken = new Set(names);
  return names.map((name, index) => {
    const original = originals[index] as string;
    if (count.get(name) === 1 || name === original) return name;
    let own = withHash(name, original);
    // A tool may have been given a name with the same hash.
    for (let more = 2; taken.has(own); more++) own = withHash(name, `${original}\n${more}`);
    taken.add(own);
    return own;
  });
}

/** `name` with a short hash of `original` behind it, 64 characters at most. */
function withHash(name: string, original: string): string {
  const hash = shortHash(original);
  const limit = maxNameLength - hash.length - 1;
  return `${name.length <= limit ? name : fewerWords(name, limit)}_${hash}`;
}

/** A stable hash of seven characters `[0-9a-z]`; it distinguishes names and protects nothing. */
export function shortHash(value: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < value.length; index++) {
    const unit = value.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  const mixed = 4294967296 * (2097151 & low) + (high >>> 0);
  return mixed.toString(36).padStart(7, "0").slice(-7);
}

/**
 * The names closest to a wrong one, best first: same letters in another case or with other
 * separators, same end behind a prefix, then few edits.
 *
 * @param limit how many at most. Default: 5.
 */
export function nearNames(wrong: string, names: Iterable<string>, limit = 5): string[] {
  // A name that a model made up may be of any length; names are 64 characters at most.
  const wanted = fold(wrong.slice(0, 2 * maxNameLength));
  const scored: { name: string; score: number }[] = [];
  for (const name of names) {
    const folded = fold(name);
    const score =
      folded === wanted
        ? 0
        : wanted.length > 2 && (folded.endsWith(wanted) || wanted.endsWith(folded))
          ? 1
          : 1 + editDistance(folded, wanted, Math.max(2, Math.floor(wanted.length / 3)));
    if (Number.isFinite(score)) scored.push({ name, score });
  }
  scored.sort((a, b) => a.score - b.score || compareNames(a.name, b.name));
  return scored.slice(0, limit).map(({ name }) => name);
}

/** Orders names by code unit: the same everywhere, whatever the locale. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Infinity beyond `most`. Only what can be within is computed: there may be thousands of names. */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  let next = [...row];
  const far = most + 1;
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - most);
    const to = Math.min(b.length, i + most);
    const unit = a.charCodeAt(i - 1);
    let left = (next[from - 1] = from === 1 ? i : far);
    let best = left;
    for (let j = from; j <= to; j++) {
      // Above is nothing yet where the band has just grown.
      const above = j === i + most ? far : (row[j] as number) + 1;
      const across = (row[j - 1] as number) + (unit === b.charCodeAt(j - 1) ? 0 : 1);
      left = Math.min(left + 1, above, across);
      next[j] = left;
      if (left < best) best = left;
    }
    if (best > most) return Infinity;
    [row, next] = [next, row];
  }
  const distance = row[b.length] as number;
  return distance <= most ? distance : Infinity;
}

/** The names of the built-in tools; no other tool can have one of them. */
export const helperNames: ReadonlySet<string> = new Set([
  "read_artifact",
  "task_status",
  "task_result",
  "task_cancel",
  "search_tools",
  "describe_tool",
  "call_tool",
]);

/** True for a name that only a helper tool can have. */
export function isBuiltInName(name: string): boolean {
  return helperNames.has(name);
}

/** The `source` of the built-in tools. */
export const builtInSource = "toolweave";

/** The `source` of the host's own tools. */
export const hostSource = "host";
