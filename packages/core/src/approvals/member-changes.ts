import { canonicalJson } from "../json/canonical-json.ts";
import { isObject, type JsonObject, type JsonValue } from "../json/json.ts";

/** A change of one member of a tool. */
export interface MemberChange {
  /** `description`, or a JSON pointer below a member: `inputSchema/properties/path/type`. */
  readonly member: string;
  /** As text, at most 200 characters of it; absent: the member is new. */
  readonly before?: string;
  /** Absent: the member was removed. */
  readonly after?: string;
}

const maxChanges = 20;
const maxTextLength = 200;

/** Compares two versions of a tool's definition: the first 20 differences. */
export function memberChanges(before: JsonObject, after: JsonObject): MemberChange[] {
  const changes: MemberChange[] = [];
  compare(before, after, "", changes);
  return changes;
}

/** Formats a change as one line: `description: "Reads a file." → "Reads a file, and sends it."`. */
export function describeChange({ member, before, after }: MemberChange): string {
  if (before === undefined) return `${member} is new: ${after}`;
  if (after === undefined) return `${member} is gone: ${before}`;
  return `${member}: ${before} → ${after}${unlikeness(before, after)}`;
}

/** Adds code points where texts first differ in a character that may look like another one, or be invisible. */
function unlikeness(before: string, after: string): string {
  const [was, is] = [[...before], [...after]];
  const at = was.findIndex((character, index) => character !== is[index]);
  const pair = [was, is].map((characters) =>
    at < characters.length - 1 ? (characters[at] ?? "") : "",
  );
  if (pair.every((character) => /^[ -~]?$/.test(character))) return "";
  return ` (where they begin to differ: ${pair.map(numberOf).join(" → ")})`;
}

function numberOf(character: string): string {
  const point = character.codePointAt(0);
  if (point === undefined) return "the end";
  return `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}

function compare(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  member: string,
  changes: MemberChange[],
): void {
  if (changes.length >= maxChanges || canonicalJson(before) === canonicalJson(after)) return;
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)].sort())) {
      const [was, is] = [own(before, key), own(after, key)];
      compare(was, is, member === "" ? key : `${member}/${key.slice(0, 80)}`, changes);
    }
    return;
  }
  const [from, to] = displayChange(before, after);
  changes.push({
    member,
    ...(before === undefined ? {} : { before: from }),
    ...(after === undefined ? {} : { after: to }),
  });
}

/** Cuts long texts to a part that begins just before the first difference. */
function displayChange(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): [string, string] {
  const [a, b] = [JSON.stringify(before ?? null), JSON.stringify(after ?? null)];
  if (a.length <= maxTextLength && b.length <= maxTextLength) return [a, b];
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const start = Math.max(0, same - 40);
  const part = (text: string): string =>
    (start === 0 ? "" : "…") +
    text.slice(start, start + maxTextLength) +
    (text.length > start + maxTextLength ? "…" : "");
  return before === undefined || after === undefined
    ? [a.slice(0, maxTextLength), b.slice(0, maxTextLength)]
    : [part(a), part(b)];
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
