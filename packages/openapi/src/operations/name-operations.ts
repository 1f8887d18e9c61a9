import { shortenName, snakeName, snakeWords, uniqueNames } from "@toolweave/core/adapter";

/** The parts of an operation from which its name is derived. */
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

/** A text from which a name is derived. */
interface NameText {
  /** Unique among the operations; the hash is computed from it. */
  readonly original: string;
  /** The text for the readable part. Default: `original`. */
  readonly readable?: string;
  /** Number of leading words that must be preserved. */
  readonly lead: number;
}

type Identified = Nameable & { readonly operationId: string };

const maxNameLength = 64;
/** Length of a hash and its separator in a truncated name. */
const hashLength = 8;

/**
 * Gives every operation a unique canonical name: `snake_case` of its operationId, without the path and the method that
 * some generators append, or of method and path if it has none. If several operations share an operationId, method and
 * path are appended for each of them. If a name is too long, words in the middle are removed.
 *
 * Names do not depend on the order of the document. The name of one operation depends on another only if both would
 * have the same name, or would be truncated to the same words.
 */
export function nameOperations(operations: readonly Nameable[]): OperationNames {
  const uses = new Map<string, number>();
  for (const { operationId } of operations) {
    if (operationId !== undefined) uses.set(operationId, (uses.get(operationId) ?? 0) + 1);
  }
  const full = operations.map((operation) => toNameText(operation, uses));
  const texts = operations.map((operation, index) => {
    const text = full[index] as NameText;
    const short =
      text.original === operation.operationId ? removePath(operation as Identified) : undefined;
    return short === undefined ? text : { original: text.original, readable: short, lead: 2 };
  });
  let names = toCandidateNames(texts);
  const clashing = findRepeated(names);
  if (clashing.size > 0) {
    // A generator's suffix is preserved if it distinguishes operations.
    for (const [index, name] of names.entries()) {
      if (clashing.has(name)) texts[index] = full[index] as NameText;
    }
    names = toCandidateNames(texts);
  }
  if (findRepeated(names).size > 0) names = toUniqueNames(texts, names);
  return { names, shared: [...uses.keys()].filter((id) => (uses.get(id) ?? 0) > 1) };
}

function toNameText(operation: Nameable, uses: ReadonlyMap<string, number>): NameText {
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

function findRepeated(names: readonly string[]): ReadonlySet<string> {
  const once = new Set<string>();
  const again = new Set<string>();
  if (new Set(names).size === names.length) return again;
  for (const name of names) (once.has(name) ? again : once).add(name);
  return again;
}

function toUniqueNames(texts: readonly NameText[], names: readonly string[]): string[] {
  const known = new Map(texts.map(({ original }, index) => [original, names[index] as string]));
  return uniqueNames(
    texts.map(({ original }) => original),
    (original) => known.get(original) as string,
  );
}

/** A name that has to be truncated. */
interface LongName {
  readonly index: number;
  readonly words: readonly string[];
}

function toCandidateNames(texts: readonly NameText[]): string[] {
  const long: LongName[] = [];
  const names = texts.map(({ original, readable = original }, index) => {
    // A shortcut, because most of the thousands of operationIds are in lower case.
    if (/^[a-z][a-z0-9/_.-]{0,62}[a-z0-9]$/.test(readable)) {
      return readable.replace(/[/_.-]+/g, "_");
    }
    const words = snakeWords(readable);
    if (words.join("_").length > maxNameLength - 1)
      long.push({ index, words: removeRepeatedWords(words) });
    const name = snakeName(readable).replace(/_+$/, "");
    return /^_+[a-z]/.test(name) ? name.replace(/^_+/, "") : name;
  });
  truncateNames(long, texts, names);
  return names;
}

/** Truncates long names; those that would be truncated to the same words keep the words that distinguish them. */
function truncateNames(
  long: readonly LongName[],
  texts: readonly NameText[],
  names: string[],
): void {
  const alike = new Map<string, LongName[]>();
  for (const one of long) {
    const name = truncateName(one, texts[one.index] as NameText);
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
    for (const one of group)
      names[one.index] = truncateName(one, texts[one.index] as NameText, telling);
  }
}

function truncateName({ words }: LongName, text: NameText, telling?: ReadonlySet<string>): string {
  const { original, readable = original, lead } = text;
  const name = words.join("_");
  // Finds the verb in identifiers such as `users.events.ListInstances`.
  const [verb = ""] = snakeWords(/[^./\s]*$/.exec(readable)?.[0] ?? "");
  const last = words.length - 1;
  const keep = lead > 2 ? firstIndexes(lead) : [0, words.lastIndexOf(verb)];
  keep.push(last);
  for (let index = last; index >= 0; index--) {
    if (telling?.has(words[index] as string) === true) keep.push(index);
  }
  return shortenName(/^\d/.test(name) ? `_${name}` : name, { original, keep });
}

function firstIndexes(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Removes words that only repeat the preceding ones in the singular: `calendar_groups_calendar_group`. */
function removeRepeatedWords(words: readonly string[]): readonly string[] {
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

/** The parts of an operation that its operationId may repeat. */
interface GeneratedOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
}

/**
 * Removes the path and the method that a generator appended to an operationId: FastAPI generates
 * `read_user_api_v1_users__id__get` from `read_user`, others `messages_create_post_v1_messages`. In `snake_case`.
 *
 * @returns undefined if it ends with neither, or if only a single word that is not in the path would remain:
 * `create_items_post` is clearer than `create`.
 */
function removePath({ operationId, method, path }: GeneratedOperation): string | undefined {
  const verb = method.toLowerCase();
  const [plain = ""] = path.split("?", 1);
  // A quick check, because most of the thousands of operationIds are shorter than their paths.
  if (operationId.length + 2 * (plain.split("{").length - 1) < plain.length + verb.length) {
    return undefined;
  }
  if (operationId.toLowerCase().lastIndexOf(verb) < 1) return undefined;
  const words = snakeWords(operationId);
  for (const place of plain === path ? [path] : [path, plain]) {
    const segments = snakeWords(place);
    if (segments.length === 0) continue;
    for (const suffix of [
      [...segments, verb],
      [verb, ...segments],
    ]) {
      const rest = words.length - suffix.length;
      if (rest < 1 || !suffix.every((word, index) => words[rest + index] === word)) continue;
      if (rest > 1 || segments.includes(words[0] as string)) return words.slice(0, rest).join("_");
    }
  }
  return undefined;
}
