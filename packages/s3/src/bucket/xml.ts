// The answers of S3: flat XML. Servers differ in prefixes of namespaces, attributes and white space.

const entities: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
};

/** The text of the first element with that name, without white space around it; `undefined`: there is none. */
export function readElement(xml: string, name: string): string | undefined {
  const [content] = readElements(xml, name);
  if (content === undefined || content.replace(/<!\[CDATA\[[^]*?\]\]>/g, "").includes("<")) {
    return undefined;
  }
  return toText(content);
}

/** The contents of all elements with that name, which must not contain elements of the same name. */
export function readElements(xml: string, name: string): readonly string[] {
  const starts = new RegExp(`<(?:[\\w.-]+:)?${name}(?:\\s[^<>]*)?>`);
  const end = new RegExp(`</(?:[\\w.-]+:)?${name}\\s*>`);
  return xml
    .split(starts)
    .slice(1)
    .map((rest) => rest.split(end, 1)[0] ?? "");
}

function toText(content: string): string {
  return content
    .replace(/<!\[CDATA\[([^]*?)\]\]>|&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w{1,4}));/gi, toCharacters)
    .trim();
}

function toCharacters(
  all: string,
  cdata: string | undefined,
  hex: string | undefined,
  decimal: string | undefined,
  entity: string,
): string {
  if (cdata !== undefined) return cdata;
  if (hex === undefined && decimal === undefined) return entities[entity] ?? all;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : all;
}
