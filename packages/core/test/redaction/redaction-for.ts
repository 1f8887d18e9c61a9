const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Encodings of a text from which a reader still obtains it. */
export const writings: Readonly<Record<string, (text: string) => string>> = {
  raw: (text) => text,
  json: (text) => JSON.stringify(text).slice(1, -1),
  "json twice": (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  "json, all of it": (text) =>
    text
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  percent: (text) => encodeURIComponent(text),
  "percent, lower case": (text) =>
    encodeURIComponent(text).replaceAll(/%../g, (escape) => escape.toLowerCase()),
  "percent, all of it": (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  form: (text) => new URLSearchParams({ "": text }).toString().slice(1),
  XML: (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  HTML: (text) => text.replaceAll(/[&<>"']/g, (char) => entities[char] as string),
  base64: (text) => Buffer.from(text).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  "base64 after one": (text) => Buffer.from(`:${text}`).toString("base64"),
  "base64 between": (text) => Buffer.from(`u:${text}\n`).toString("base64"),
  "base64 in a URL": (text) => encodeURIComponent(Buffer.from(text).toString("base64")),
};

/** Every text that decoding can produce from a text, the text itself included. */
export function readings(text: string): readonly string[] {
  const all = new Set([text]);
  // A set iterates over values that are added during the iteration.
  for (const one of all) {
    if (all.size > 60) break;
    if (one.includes("\\")) {
      all.add(
        one.replaceAll(/\\(?:u([0-9a-f]{4})|(["\\/]))/gi, (_, hex?: string, char?: string) =>
          hex === undefined ? (char as string) : unit(hex),
        ),
      );
    }
    if (one.includes("%")) all.add(one.replaceAll(/(?:%[0-9a-f]{2})+/gi, utf8));
    if (one.includes("&")) {
      all.add(
        Object.entries(entities).reduceRight((at, [char, name]) => at.replaceAll(name, char), one),
      );
    }
    if (one.includes("+")) all.add(one.replaceAll("+", " "));
  }
  for (const one of [...all]) {
    for (const run of one.match(/[A-Za-z0-9+/_-]{5,}/g) ?? []) {
      for (let offset = 0; offset < 4; offset++) {
        all.add(Buffer.from(run.slice(offset), "base64").toString());
      }
    }
  }
  return [...all];
}

function unit(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

function utf8(bytes: string): string {
  return Buffer.from(bytes.replaceAll("%", ""), "hex").toString();
}
