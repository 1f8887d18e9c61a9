import { encodeCodePoint, toUtf8 } from "../values/utf8.ts";

/** The content of a string or bytes literal as a byte string, or the fault of the literal. */
export type UnquotedString = { readonly value: string } | { readonly problem: string };

const simpleEscapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
};

/** Reads the text between the quotes of a literal (specification of starlark-go, "String literals"). */
export function unquote(
  body: string,
  options: { readonly raw: boolean; readonly bytes: boolean },
): UnquotedString {
  const text = body.includes("\r") ? body.replaceAll(/\r\n?/g, "\n") : body;
  if (options.raw || !text.includes("\\")) return { value: toUtf8(text) };
  const parts: string[] = [];
  let index = 0;
  for (;;) {
    const slash = text.indexOf("\\", index);
    if (slash === -1) break;
    parts.push(toUtf8(text.slice(index, slash)));
    const escape = readEscape(text, slash, options.bytes);
    if ("problem" in escape) return escape;
    parts.push(escape.value);
    index = slash + escape.length;
  }
  parts.push(toUtf8(text.slice(index)));
  return { value: parts.join("") };
}

type Escape = { readonly value: string; readonly length: number } | { readonly problem: string };

function readEscape(text: string, slash: number, bytes: boolean): Escape {
  const letter = text[slash + 1];
  if (letter === undefined) return { problem: "truncated escape sequence \\" };
  if (letter === "\n") return { value: "", length: 2 };
  const simple = simpleEscapes[letter];
  if (simple !== undefined) return { value: simple, length: 2 };
  if (letter >= "0" && letter <= "7") return readOctal(text, slash, bytes);
  if (letter === "x") return readHex(text, slash, bytes);
  if (letter === "u" || letter === "U") return readUnicode(text, slash, letter === "u" ? 4 : 8);
  return {
    problem: `invalid escape sequence \\${String.fromCodePoint(text.codePointAt(slash + 1) ?? 0)}`,
  };
}

function readOctal(text: string, slash: number, bytes: boolean): Escape {
  const digits = /^[0-7]{1,3}/.exec(text.slice(slash + 1, slash + 4))?.[0] ?? "";
  const value = Number.parseInt(digits, 8);
  if (!bytes && value > 127) return { problem: nonAsciiProblem("octal", `\\${digits}`, value) };
  if (value > 255)
    return { problem: `invalid escape sequence \\${value.toString(8).padStart(3, "0")}` };
  return { value: String.fromCharCode(value), length: 1 + digits.length };
}

function readHex(text: string, slash: number, bytes: boolean): Escape {
  const digits = text.slice(slash + 2, slash + 4);
  if (digits.length < 2) return { problem: `truncated escape sequence ${text.slice(slash)}` };
  if (!/^[0-9A-Fa-f]{2}$/.test(digits)) return { problem: `invalid escape sequence \\x${digits}` };
  const value = Number.parseInt(digits, 16);
  if (!bytes && value > 127) return { problem: nonAsciiProblem("hex", `\\x${digits}`, value) };
  return { value: String.fromCharCode(value), length: 4 };
}

function nonAsciiProblem(kind: string, escape: string, value: number): string {
  const suggestion = value.toString(16).padStart(4, "0").toUpperCase();
  return `non-ASCII ${kind} escape ${escape} (use \\u${suggestion} for the UTF-8 encoding of U+${suggestion})`;
}

function readUnicode(text: string, slash: number, size: number): Escape {
  const escape = text.slice(slash, slash + 2 + size);
  const digits = escape.slice(2);
  if (digits.length < size) return { problem: `truncated escape sequence ${escape}` };
  if (!/^[0-9A-Fa-f]+$/.test(digits)) return { problem: `invalid escape sequence ${escape}` };
  const point = Number.parseInt(digits, 16);
  if (point > 0x10ffff) return { problem: `code point out of range: ${escape} (max \\U0010ffff)` };
  if (point >= 0xd800 && point <= 0xdfff) {
    return { problem: `invalid Unicode code point U+${digits.slice(-4).toUpperCase()}` };
  }
  return { value: encodeCodePoint(point), length: 2 + size };
}

/** The value of an int literal: a number if it is exact, else a bigint. `undefined` if the digits are invalid. */
export function intFromLiteral(text: string): number | bigint | undefined {
  const small = Number(text);
  if (Number.isSafeInteger(small)) return small;
  try {
    return BigInt(text);
  } catch {
    return undefined;
  }
}
