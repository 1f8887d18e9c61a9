import { shortenName, snakeName, snakeWords, uniqueNames } from "@toolweave/core";
import { withoutPlace } from "./generated-ids.ts";

/** What an operation is named after. */
export interface Nameable {
  readonly operationId: string | undefined;
  readonly method: string;
  readonly path: string;
}

/** The names, in the order of the operations, and the operationIds that several operations share. */
export interface OperationNames {
  readonly names: readonly string[];
  readonly shared: readonly string[];
}

/** A text that a name is made of. */
interface NameText {
  /** Differs from that of every other operation; a hash is made of it. */
  readonly original: string;
  /** What is read of it. Default: `original`. */
  readonly readable?: string;
  /** How many words at its beginning say the most. */
  readonly lead: number;
}

type Identified = Nameable & { readonly operationId: string };

const maxNameLength = 64;
/** What a hash and its separator take of a name that is cut. */
const hashLength = 8;

/**
 * Gives every operation a canonical name of its own: `snake_case` of its operationId, without the path and the method
 * that some generators put behind it, or of method and path when it has none. An operationId that several operations
 * share names none of them alone: method and path are put behind it. Of a name that is too long, words in the middle go.
 *
 * Names do not depend on the order of the document. The name of one operation depends on another only where both would
 * have the same name, or would be cut to the same words.
 */
export function nameOperations(operations: readonly Nameable[]): OperationNames {
  const uses = new Map<string, number>();
  for (const { operationId } of operations) {
    if (operationId !== undefined) uses.set(operationId, (uses.get(operationId) ?? 0) + 1);
  }
  const full = operations.map((operation) => fullText(operation, uses));
  const texts = operations.map((operation, index) => {
    const text = full[index] as NameText;
    const short =
      text.original === operation.operationId ? withoutPlace(operation as Identified) : undefined;
    return short === undefined ? text : { original: text.original, readable: short, lead: 2 };
  });
  let names = candidateNames(texts);
  const clashing = repeated(names);
  if (clashing.size > 0) {
    // A generator's suffix stays where it tells operations apart.
    for (const [index, name] of names.entries()) {
      if (clashing.has(name)) texts[index] = full[index] as NameText;
    }
    names = candidateNames(texts);
  }
  if (repeated(names).size > 0) names = apart(texts, names);
  return { names, shared: [...uses.keys()].filter((id) => (uses.get(id) ?? 0) > 1) };
}

function fullText(operation: Nameable, uses: ReadonlyMap<string, number>): NameText {
  const { operationId } = operation;
  const place = `${operation.method.toLowerCase()} ${operation.path}`;
  if (!isReadable(operation)) {
    return { original: `${operationId ?? ""} ${place}`, readable: place, lead: 1 };
  }
  const id = operation.operationId;
  if (uses.get(id) === 1) return { original: id, lead: 2 };
  return { original: `${id} ${place}`, lead: Math.min(snakeWords(id).length, 6) };
}

function isReadable(operation: Nameable): operation is Identified {
  const { operationId } = operation;
  if (operationId === undefined) return false;
  return /[A-Za-z0-9]/.test(operationId) || /[A-Za-z0-9]/.test(operationId.normalize("NFKD"));
}

function repeated(names: readonly string[]): ReadonlySet<string> {
  const once = new Set<string>();
  const again = new Set<string>();
  if (new Set(names).size === names.length) return again;
  for (const name of names) (once.has(name) ? again : once).add(name);
  return again;
}

function apart(texts: readonly NameText[], names: readonly string[]): string[] {
  const known = new Map(texts.map(({ original }, index) => [original, names[index] as string]));
  return uniqueNames(
    texts.map(({ original }) => original),
    (original) => known.get(original) as string,
  );
}

/** A name that has to be cut. */
interface LongName {
  readonly index: number;
  readonly words: readonly string[];
}

function candidateNames(texts: readonly NameText[]): string[] {
  const long: LongName[] = [];
  const names = texts.map(({ original, readable = original }, index) => {
    // Most operationIds are in lower case, and there are thousands of them.
    if (/^[a-z][a-z0-9/_.-]{0,62}[a-z0-9]$/.test(readable)) {
      return readable.replace(/[/_.-]+/g, "_");
    }
    const words = snakeWords(readable);
    if (words.join("_").length > maxNameLength - 1) long.push({ index, words: distinct(words) });
    const name = snakeName(readable).replace(/_+$/, "");
    return /^_+[a-z]/.test(name) ? name.replace(/^_+/, "") : name;
  });
  cutNames(long, texts, names);
  return names;
}

/** Cuts long names; those that would be cut to the same words keep what tells them apart. */
function cutNames(long: readonly LongName[], texts: readonly NameText[], names: string[]): void {
  const alike = new Map<string, LongName[]>();
  for (const one of long) {
    const name = cut(one, texts[one.index] as NameText);
    names[one.index] = name;
    if (one.words.join("_").length < maxNameLength) continue;
    const readable = name.slice(0, -hashLength);
    const others = alike.get(readable);
    if (others === undefined) alike.set(readable, [one]);
    else others.push(one);
  }
  for (const group of alike.values()) {
    if (group.length === 1) continue;
    const count = new Map<string, number>();
    for (const { words } of group) {
      for (const word of new Set(words)) count.set(word, (count.get(word) ?? 0) + 1);
    }
    const telling = new Set<string>();
    for (const [word, uses] of count) if (uses < group.length) telling.add(word);
    for (const one of group) names[one.index] = cut(one, texts[one.index] as NameText, telling);
  }
}

function cut({ words }: LongName, text: NameText, telling?: ReadonlySet<string>): string {
  const { original, readable = original, lead } = text;
  const name = words.join("_");
  // Where the verb stands in identifiers such as `users.events.ListInstances`.
  const [verb = ""] = snakeWords(/[^./\s]*$/.exec(readable)?.[0] ?? "");
  const last = words.length - 1;
  const keep = lead > 2 ? firsts(lead) : [0, words.lastIndexOf(verb)];
  keep.push(last);
  for (let index = last; index >= 0; index--) {
    if (telling?.has(words[index] as string) === true) keep.push(index);
  }
  return shortenName(/^\d/.test(name) ? `_${name}` : name, { original, keep });
}

function firsts(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Without words that only repeat the ones before in singular: `calendar_groups_calendar_group`. */
function distinct(words: readonly string[]): readonly string[] {
  const result: string[] = [];
  for (let index = 0; index < words.length;) {
    const length = [4, 3, 2, 1].find((count) => isSingular(result, words, index, count)) ?? 0;
    if (length === 0) result.push(words[index] as string);
    index += Math.max(length, 1);
  }
  return result;
}

function isSingular(
  before: readonly string[],
  words: readonly string[],
  index: number,
  count: number,
): boolean {
  const start = before.length - count;
  if (start < 0 || index + count > words.length) return false;
  for (let offset = 0; offset < count - 1; offset++) {
    if (before[start + offset] !== words[index + offset]) return false;
  }
  const plural = before[before.length - 1] as string;
  const singular = words[index + count - 1] as string;
  return (
    plural === `${singular}s` ||
    plural === `${singular}es` ||
    plural === `${singular.slice(0, -1)}ies`
  );
}
