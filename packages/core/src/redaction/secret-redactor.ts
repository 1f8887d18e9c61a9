import type { JsonPath } from "../json-path/json-path.ts";
import type { ContentBlock } from "../contract/content-block.ts";
import type { JsonValue } from "../json/json.ts";
import type { ToolOutput } from "../contract/tool-result.ts";
import type { ToolError } from "../contract/tool-error.ts";
import { withoutPaths } from "./path-rules.ts";
import { redactError } from "./redact-error.ts";
import { hasText, redactOutput } from "./redact-output.ts";
import { redactValue } from "./redact-value.ts";
import type { Redactor } from "../contract/redactor.ts";
import { minFormLength, lastWord, type SecretFinder } from "./secret-finder.ts";
import { latin1 } from "./secret-patterns.ts";
import { mask, merged, replaceSpans, type Spans } from "./spans.ts";

const maxCachedLength = 300;
const maxCached = 50;

/** The redactor over any number of finders: an executor's own, and a run's. */
export class SecretRedactor implements Redactor {
  readonly #finders: readonly SecretFinder[];
  readonly #paths: readonly JsonPath[];
  /** Redacted short texts, since the secrets last changed. */
  readonly #cached = new Map<string, string>();
  #cachedFor: object | undefined;

  constructor(finders: readonly SecretFinder[], paths: readonly JsonPath[]) {
    this.#finders = finders;
    this.#paths = paths;
  }

  /** The same with one more finder, or more paths. */
  with(finders: readonly SecretFinder[], paths: readonly JsonPath[]): SecretRedactor {
    return new SecretRedactor([...this.#finders, ...finders], [...this.#paths, ...paths]);
  }

  text(text: string): string {
    // No secret is shorter.
    if (text.length < 4) return text;
    const spans: Spans = [];
    for (const finder of this.#finders) finder.find(text, spans);
    return spans.length === 0 ? text : replaceSpans(text, spans, () => mask);
  }

  texts(texts: readonly string[]): readonly string[] {
    const spans: Spans = [];
    const whole = texts.join("");
    for (const finder of this.#finders) finder.find(whole, spans);
    if (spans.length === 0) return texts;
    const parts = merged(spans);
    let start = 0;
    let first = 0;
    return texts.map((text) => {
      const own: Spans = [];
      const end = start + text.length;
      for (let index = first; index < parts.length; index++) {
        const [from, to] = parts[index] as [number, number];
        if (from >= end) break;
        const at = Math.max(0, from - start);
        if (to > start && at < text.length) own.push(at, Math.min(text.length, to - start));
        if (to <= end) first = index + 1;
      }
      start = end;
      return replaceSpans(text, own, () => mask);
    });
  }

  value<Value extends JsonValue>(value: Value): Value {
    let cached: JsonValue = value;
    for (const path of this.#paths) cached = path.replace(cached, mask);
    return redactValue(cached, (text) => this.text(text)) as Value;
  }

  redactReport<Value>(value: Value): Value {
    if (typeof value === "string" && value.length <= maxCachedLength) {
      return this.#redactCached(value) as Value & string;
    }
    return this.#redactNow(value);
  }

  /** Short texts are mostly those of rules, which come with every call. */
  #redactCached(text: string): string {
    const state = this.#finders.at(-1)?.state;
    // With more than one there is a run's own: that is not for long.
    if (this.#finders.length > 1 || state !== this.#cachedFor) this.#cached.clear();
    this.#cachedFor = state;
    let redacted = this.#cached.get(text);
    if (redacted === undefined) {
      redacted = this.#redactNow(text);
      if (this.#cached.size >= maxCached) this.#cached.clear();
      this.#cached.set(text, redacted);
    }
    return redacted;
  }

  #redactNow<Value>(value: Value): Value {
    return redactValue(value, (text, key) => {
      if (key !== undefined && isSecretKey(key)) return mask;
      return this.text(redactNamedValues(text));
    });
  }

  registered(text: string): string {
    const spans: Spans = [];
    for (const finder of this.#finders) finder.find(text, spans, false);
    return spans.length === 0 ? text : replaceSpans(text, spans, () => mask);
  }

  output(output: ToolOutput): ToolOutput {
    if (this.#paths.length === 0 && this.#isClean(output)) return output;
    return redactOutput(withoutPaths(output, this.#paths), this);
  }

  /** The ordinary answer, of one text and at most that as its value, is known to be clean at once. */
  #isClean(output: ToolOutput): boolean {
    const { content, value, details, provider, error, artifacts, childRunId } = output;
    if (details !== undefined || provider !== undefined || error !== undefined) return false;
    if (artifacts !== undefined || childRunId !== undefined || content.length !== 1) return false;
    const block = content[0] as ContentBlock;
    if (block.type !== "text") return false;
    for (const key in block) if (key !== "type" && key !== "text") return false;
    const { text } = block;
    const knows = this.#knows();
    if ((knows || text.length >= minFormLength) && this.text(text) !== text) return false;
    switch (typeof value) {
      case "undefined":
      case "boolean":
        return true;
      case "string":
        return value === text;
      case "number":
        // No credential of any form is a number.
        return !knows || String(value) === text;
      default:
        return false;
    }
  }

  #knows(): boolean {
    for (const finder of this.#finders) if (finder.knows) return true;
    return false;
  }

  error(error: ToolError, thrown = false): ToolError {
    return redactError(error, (value) => this.redactReport(value), thrown);
  }

  bytes(bytes: Uint8Array, mediaType: string): Uint8Array {
    const asText = decodeText(bytes, mediaType);
    if (asText !== undefined) {
      const redacted = this.text(asText);
      if (redacted !== asText) return new TextEncoder().encode(redacted);
    }
    const spans: Spans = [];
    const knows = this.#knows();
    if (knows) this.#findInBytes(bytes, false, spans);
    const isText = hasText(mediaType);
    if ((knows || isText) && bytes.subarray(0, 1024).includes(0)) {
      // In UTF-16, one of the two bytes of each ASCII character is zero.
      const found: Spans = [];
      const withoutZeros = bytes.filter((byte) => byte !== 0);
      this.#findInBytes(withoutZeros, isText, found);
      spans.push(...amongZeros(bytes, found));
    }
    if (spans.length === 0) return bytes;
    const copy = bytes.slice();
    for (const [start, end] of merged(spans)) copy.fill(0x2a, start, end);
    return copy;
  }

  #findInBytes(bytes: Uint8Array, isText: boolean, spans: Spans): void {
    const text = latin1(bytes);
    for (const finder of this.#finders) {
      if (isText) finder.find(text, spans);
      else finder.findPlain(text, spans);
    }
  }

  /** Base64 of bytes that are no text: what is secret in it becomes zeros, and it stays base64. */
  base64(data: string): string {
    const spans: Spans = [];
    for (const finder of this.#finders) finder.findPlain(data, spans);
    return spans.length === 0 ? data : replaceSpans(data, spans, (part) => "A".repeat(part.length));
  }

  streamRedactor(): RedactingStream {
    return new RedactingStream(this.#finders);
  }
}

/** Places in bytes without those that are zero, as places in all of them. */
function amongZeros(bytes: Uint8Array, spans: Spans): Spans {
  if (spans.length === 0) return spans;
  const places = merged(spans).flat();
  const moved: Spans = [];
  let next = 0;
  let place = 0;
  for (let at = 0; at < bytes.length && next < places.length; at++) {
    if (bytes[at] === 0) continue;
    // Starts and ends take turns; an end is behind the last byte.
    while (next < places.length && places[next] === (next % 2 === 0 ? place : place + 1)) {
      moved.push(next % 2 === 0 ? at : at + 1);
      next += 1;
    }
    place += 1;
  }
  return moved;
}

/** Bytes as a text, when they are one: by their type, or since they can be read as one. */
function decodeText(bytes: Uint8Array, mediaType: string): string | undefined {
  const isText = hasText(mediaType);
  if (!isText && bytes.subarray(0, 1024).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { ignoreBOM: true, fatal: !isText }).decode(bytes);
  } catch {
    return undefined;
  }
}

const parameter =
  "key|api[_-]?key|access[_-]?token|auth[_-]?token|refresh[_-]?token|id[_-]?token|token|client[_-]?secret|password|passwd|pwd|secret|sig|signature|x-amz-signature|x-goog-signature|auth";
const header =
  "(?:proxy-)?authorization|x-api-key|api-key|x-auth-token|x-access-token|(?:set-)?cookie";

/** A query parameter, or a header's line, whose name marks its value as secret. */
const named = new RegExp(
  `([?&;](?:${parameter})=)[^&#\\s"'<>\\\\]+|((?<![\\w-])(?:${header})["']?\\s{0,4}[:=]\\s{0,4}["']?(?:(?:basic|bearer|digest|token)\\s+)?)[^\\r\\n"'\\\\]+`,
  "gi",
);
const secretKey = new RegExp(`^(?:${header})$`, "i");

/** Redacts the values whose names mark them as secret. */
function redactNamedValues(text: string): string {
  if (!text.includes("=") && !text.includes(":")) return text;
  return text.replace(named, (_, query?: string, line?: string) => `${query ?? line}${mask}`);
}

/** True for the name of a header that holds a credential. */
function isSecretKey(key: string): boolean {
  return secretKey.test(key);
}

/** A shorter beginning reveals nothing, and many texts end like it. */
const minHeldLength = 4;

/**
 * Texts that pass one after the other, such as a call's updates, without the secrets that are cut
 * between them. The end of one that may be the beginning of a secret is held back; what belongs to a
 * secret that began before does not come either.
 */
export class RedactingStream {
  readonly #finders: readonly SecretFinder[];
  /** The end of the text before that a secret may have begun in. */
  #before = "";

  constructor(finders: readonly SecretFinder[]) {
    this.#finders = finders;
  }

  /** The next text, as far as it may pass. */
  next(text: string): string {
    const offset = this.#before.length;
    const whole = this.#before + text;
    const spans: Spans = [];
    for (const finder of this.#finders) finder.find(whole, spans);
    let end = Math.min(...this.#finders.map((finder) => finder.held(whole)));
    const secrets = merged(spans);
    for (const [from, to] of secrets) if (from < end && to > end) end = from;
    // A complete secret begins no other one.
    const last = secrets.findLast(([, to]) => to <= end)?.[1] ?? 0;
    this.#before = whole.slice(Math.max(last, Math.min(end, lastWord(whole))));
    if (whole.length - end < minHeldLength) end = whole.length;
    let result = "";
    let at = offset;
    for (const [from, to] of secrets) {
      if (to <= offset || from >= end) continue;
      if (from > at) result += whole.slice(at, from);
      result += mask;
      at = to;
    }
    return at < end ? result + whole.slice(at, end) : result;
  }
}
