import { base64ToBinary } from "../text/base64.ts";
import { isBase64, Parts, type Decoder } from "./decodings.ts";

const percentSign = 0x25;
const ampersand = 0x26;
const backslash = 0x5c;

/** The characters of ASCII that are no letters and no digits, and the space that does not break, by name. */
const entities: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" },
  ...{ excl: "!", num: "#", dollar: "$", percnt: "%", lpar: "(", rpar: ")", ast: "*", plus: "+" },
  ...{ comma: ",", hyphen: "\u2010", period: ".", sol: "/", colon: ":", semi: ";", equals: "=" },
  ...{ quest: "?", commat: "@", lsqb: "[", lbrack: "[", bsol: "\\", rsqb: "]", rbrack: "]" },
  ...{ Hat: "^", lowbar: "_", grave: "`", lcub: "{", lbrace: "{", verbar: "|", vert: "|" },
  ...{ rcub: "}", rbrace: "}", Tab: "\t", NewLine: "\n" },
};

const entity = /&(?:#(?:(\d{1,10})|x([\da-f]{1,8}))(;?)|([a-z]{2,8});)/iy;

/**
 * Undoes character references of HTML and XML: numeric ones of any form (`&#65;`, `&#x041`), with or
 * without a semicolon, and the names of what is no letter in ASCII.
 *
 * @see https://html.spec.whatwg.org/multipage/syntax.html#character-references
 */
export const fromEntities: Decoder = (text, matters) => {
  let at = text.indexOf("&");
  if (at === -1) return undefined;
  const parts = new Parts(text);
  while (at !== -1) {
    entity.lastIndex = at;
    const found = entity.exec(text);
    const char = found === null ? undefined : decodeReference(found);
    if (found === null || char === undefined) {
      at = text.indexOf("&", at + 1);
      continue;
    }
    const end = at + found[0].length;
    const unit = char.charCodeAt(0);
    // Behind each of these another escape may begin.
    const isEscape = unit === percentSign || unit === ampersand || unit === backslash;
    parts.replace(at, end, char, isEscape || matters(unit));
    at = text.indexOf("&", end);
  }
  return parts.decoded();
};

function decodeReference([, decimal, hexadecimal, , name = ""]: RegExpExecArray):
  | string
  | undefined {
  if (decimal === undefined && hexadecimal === undefined) {
    return Object.hasOwn(entities, name) ? entities[name] : undefined;
  }
  const point = Number.parseInt(
    decimal ?? (hexadecimal as string),
    decimal === undefined ? 16 : 10,
  );
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}

const dataMarker = ";base64,";
const dataUrlStart = /data:([\w.+-]*\/?[\w.+-]*)(?:;[\w.+="-]*)*$/i;
/** The maximum length of a `data:` URL's header before its base64. */
const maxDataHeader = 200;

/** Base64 in a text, and what stands for it in the decoded one. */
interface Payload {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

/** Undoes the base64 of `data:` URLs (RFC 2397), but for those of pictures, sound and film. */
export const fromDataUrls: Decoder = (text) => {
  let at = text.indexOf(dataMarker);
  if (at === -1) return undefined;
  const payloads: Payload[] = [];
  const parts: string[] = [];
  let done = 0;
  let length = 0;
  while (at !== -1) {
    const start = at + dataMarker.length;
    const end = endOfBase64(text, start);
    const type = dataUrlStart.exec(text.slice(Math.max(0, at - maxDataHeader), at))?.[1];
    const isMedia = type === undefined || /^(?:image\/(?!svg)|audio\/|video\/)/i.test(type);
    const bytes = isMedia ? undefined : base64ToBinary(text.slice(start, end)) || undefined;
    if (bytes !== undefined) {
      const from = length + start - done;
      length = from + bytes.length;
      parts.push(text.slice(done, start), bytes);
      payloads.push({ start, end, from, to: length });
      done = end;
    }
    at = text.indexOf(dataMarker, end);
  }
  if (payloads.length === 0) return undefined;
  parts.push(text.slice(done));
  return { text: parts.join(""), origin: (index) => originAmong(payloads, index) };
};

/** Where a decoded character was: in base64 the first of the four that holds nothing of the one before. */
function originAmong(payloads: readonly Payload[], index: number): number {
  let low = 0;
  let high = payloads.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((payloads[middle] as Payload).from <= index) low = middle + 1;
    else high = middle;
  }
  const payload = payloads[low - 1];
  if (payload === undefined) return index;
  const { start, end, from, to } = payload;
  if (index >= to) return end + index - to;
  return Math.min(end, start + Math.ceil(((index - from) * 4) / 3));
}

function endOfBase64(text: string, start: number): number {
  let end = start;
  while (end < text.length && (isBase64(text.charCodeAt(end)) || text.charAt(end) === "="))
    end += 1;
  return end;
}
