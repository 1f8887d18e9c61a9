import { show } from "../contract/finding.ts";

/** Where a secret has come out. */
export interface Leak {
  /** What it looks like there: `as it is`, `in base64`. */
  readonly form: string;
  /** What stands around it; the secret itself is left out. */
  readonly seen: string;
}

/** A shorter one is found by chance when it is encoded. */
const shortestEncoded = 8;
/** The same for what is looked for as it is; an executor knows none that are shorter. */
const shortest = 4;
const charsAround = 40;

interface Needle {
  readonly form: string;
  readonly text: string;
  readonly anyCase?: boolean;
}

/** Looks for secrets in texts and data: as they are, and in what programs commonly make of them. */
export class Leaks {
  readonly #needles: readonly Needle[];

  constructor(secrets: readonly string[]) {
    this.#needles = secrets.flatMap(needlesOf);
  }

  /**
   * The first secret in a value.
   *
   * @param value a text, or data: all of its JSON is looked at, names of members too.
   */
  find(value: unknown): Leak | undefined {
    const text = typeof value === "string" ? value : jsonOf(value);
    const lower = text.toLowerCase();
    for (const needle of this.#needles) {
      const at = needle.anyCase ? lower.indexOf(needle.text) : text.indexOf(needle.text);
      if (at === -1) continue;
      const end = at + needle.text.length;
      const around = text.slice(Math.max(0, at - charsAround), end + charsAround);
      return { form: needle.form, seen: around.replaceAll(text.slice(at, end), "[the secret]") };
    }
    return undefined;
  }
}

function needlesOf(secret: string): readonly Needle[] {
  if (secret.length < shortest) return [];
  const plain: Needle[] = [
    { form: "as it is", text: secret },
    { form: "as it is", text: JSON.stringify(secret).slice(1, -1) },
  ];
  if (secret.length < shortestEncoded) return plain;
  const bytes = Buffer.from(secret);
  const percent = encodeURIComponent(secret);
  return [
    ...plain,
    { form: "percent-encoded", text: percent },
    { form: "percent-encoded", text: percent.replaceAll(/%../g, (code) => code.toLowerCase()) },
    { form: "in hexadecimal", text: bytes.toString("hex"), anyCase: true },
    // As Node prints a buffer, and as JSON and Node write bytes.
    { form: "in hexadecimal", text: [...bytes].map(hexOf).join(" ") },
    { form: "byte by byte", text: bytes.join(",") },
    { form: "byte by byte", text: bytes.join(", ") },
    ...[10, 16].flatMap((radix) => referenceNeedles(secret, radix)),
    ...[0, 1, 2].flatMap((before) => base64Needles(bytes, before)),
  ].filter(({ text }, at, all) => all.findIndex((other) => other.text === text) === at);
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

/** As HTML and XML write characters by number, with and without leading zeros as generators do. */
function referenceNeedles(secret: string, radix: number): Needle[] {
  const digits = [...secret].map((character) => (character.codePointAt(0) ?? 0).toString(radix));
  const prefix = radix === 16 ? "&#x" : "&#";
  return [1, 2, 3, 4, 6].map((width) => ({
    form: "in character references",
    text: digits.map((number) => `${prefix}${number.padStart(width, "0")};`).join(""),
    anyCase: true,
  }));
}

/** The characters of base64 that depend on nothing but the secret, with so many bytes before it. */
function base64Needles(bytes: Buffer, before: number): Needle[] {
  const first = Math.ceil((8 * before) / 6);
  const end = Math.floor((8 * (before + bytes.length)) / 6);
  const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  const text = whole.slice(first, end);
  const url = text.replaceAll("+", "-").replaceAll("/", "_");
  return [text, url].map((text) => ({ form: "in base64", text }));
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return show(value);
  }
}
