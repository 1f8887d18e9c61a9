import { formatValue, formatError, type Fault } from "../contract/finding.ts";
import { inspect } from "node:util";
import type { ToolOutcome } from "@toolweave/core";
import { memoryArtifacts, type ArtifactStore } from "@toolweave/core/stores";

/** A place where a secret was disclosed. */
export interface Leak {
  /** The encoding of the secret: `in plain text`, `in base64`. */
  readonly form: string;
  /** The text around the secret, without the secret. */
  readonly seen: string;
}

/**
 * The minimum length of a secret that is searched for in encoded form. A shorter one occurs by
 * chance.
 */
const minEncodedLength = 8;
/**
 * The minimum length of a secret that is searched for in plain text. An executor ignores shorter
 * ones.
 */
const minLength = 4;
const contextLength = 40;

interface Needle {
  readonly form: string;
  readonly text: string;
  readonly anyCase?: boolean;
}

/** Searches texts and data for secrets, in plain text and in common encodings. */
export class LeakFinder {
  readonly #needles: readonly Needle[];

  constructor(secrets: readonly string[]) {
    this.#needles = secrets.flatMap(createNeedles);
  }

  /**
   * Finds the first secret in a value.
   *
   * @param value a text, or data whose JSON is searched, including member names.
   */
  find(value: unknown): Leak | undefined {
    const text = typeof value === "string" ? value : toJson(value);
    const lower = text.toLowerCase();
    for (const needle of this.#needles) {
      const at = needle.anyCase ? lower.indexOf(needle.text) : text.indexOf(needle.text);
      if (at === -1) continue;
      const end = at + needle.text.length;
      const around = text.slice(Math.max(0, at - contextLength), end + contextLength);
      return { form: needle.form, seen: around.replaceAll(text.slice(at, end), "[the secret]") };
    }
    return undefined;
  }
}

function createNeedles(secret: string): readonly Needle[] {
  if (secret.length < minLength) return [];
  const plain: Needle[] = [
    { form: "in plain text", text: secret },
    { form: "in plain text", text: JSON.stringify(secret).slice(1, -1) },
  ];
  if (secret.length < minEncodedLength) return plain;
  const bytes = Buffer.from(secret);
  const percent = encodeURIComponent(secret);
  return [
    ...plain,
    { form: "percent-encoded", text: percent },
    { form: "percent-encoded", text: percent.replaceAll(/%../g, (code) => code.toLowerCase()) },
    { form: "in hexadecimal", text: bytes.toString("hex"), anyCase: true },
    // As Node.js prints a buffer, and as JSON and Node.js format bytes.
    { form: "in hexadecimal", text: [...bytes].map(toHex).join(" ") },
    { form: "byte by byte", text: bytes.join(",") },
    { form: "byte by byte", text: bytes.join(", ") },
    ...[10, 16].flatMap((radix) => createReferenceNeedles(secret, radix)),
    ...[0, 1, 2].flatMap((before) => createBase64Needles(bytes, before)),
  ].filter(({ text }, at, all) => all.findIndex((other) => other.text === text) === at);
}

function toHex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

/** Numeric character references of HTML and XML, with and without leading zeros. */
function createReferenceNeedles(secret: string, radix: number): Needle[] {
  const digits = [...secret].map((character) => (character.codePointAt(0) ?? 0).toString(radix));
  const prefix = radix === 16 ? "&#x" : "&#";
  return [1, 2, 3, 4, 6].map((width) => ({
    form: "in character references",
    text: digits.map((number) => `${prefix}${number.padStart(width, "0")};`).join(""),
    anyCase: true,
  }));
}

/** The base64 characters that depend only on the secret, if `before` bytes precede it. */
function createBase64Needles(bytes: Buffer, before: number): Needle[] {
  const first = Math.ceil((8 * before) / 6);
  const end = Math.floor((8 * (before + bytes.length)) / 6);
  const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  const text = whole.slice(first, end);
  const url = text.replaceAll("+", "-").replaceAll("/", "_");
  return [text, url].map((text) => ({ form: "in base64", text }));
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return formatValue(value);
  }
}

/** The depth to which a log prints objects. */
const logDepth = 6;

/** Creates a fault from a disclosed secret. */
export function toLeakFault({ form, seen }: Leak, where: string): Fault {
  return { wrong: `discloses a secret ${form} in ${where}`, seen };
}

/** Creates a store that adds everything that it receives to `stored`. */
export function createRecordingStore(stored: string[]): ArtifactStore {
  const store = memoryArtifacts();
  return {
    put: (artifact, data) => {
      stored.push(JSON.stringify(artifact.name ?? ""), Buffer.from(data).toString());
      return store.put(artifact, data);
    },
    head: (key) => store.head(key),
    read: (key, offset, length) => store.read(key, offset, length),
    delete: (key) => store.delete(key),
  };
}

/** Finds a secret in the result of a call. */
export function findResultLeak(leaks: LeakFinder, outcome: ToolOutcome): Fault | undefined {
  if (outcome.status === "interrupted") return undefined;
  const { result } = outcome;
  for (const [field, value] of Object.entries(result)) {
    const leak = leaks.find(value);
    if (leak !== undefined) return toLeakFault(leak, `the ${field} of its result`);
  }
  // A reader may concatenate the blocks.
  const texts = result.content.map((block) => (block.type === "text" ? block.text : " "));
  const leak = leaks.find(texts.join(""));
  return leak && toLeakFault(leak, "several blocks of its result, one part in each");
}

/** Finds a secret in the stored artifacts of a result. */
export function findArtifactLeak(leaks: LeakFinder, stored: readonly string[]): Fault | undefined {
  const leak = stored.map((text) => leaks.find(text)).find(Boolean);
  return leak && toLeakFault(leak, "an artifact of its result");
}

/** Formats an error as a log does: with its message, stack, members and causes. */
export function formatForLog(error: unknown): string {
  try {
    return inspect(error, { depth: logDepth, maxStringLength: null, maxArrayLength: null });
  } catch (unreadable) {
    return formatError(unreadable);
  }
}
