/** Bytes in which a declaration is looked for. A browser also accepts one after the first 1,024 bytes (13.2.3.5). */
const maxPrescan = 65_536;
/** Bytes in which a declaration counts wherever it is, also after the beginning of the body. */
const standardPrescan = 1_024;

/** Names of attributes and their values, each at the end of the one before it (HTML 13.2.3.2, "get an attribute"). */
const attribute =
  /[\s/]*([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)?))?/y;

/**
 * Finds the character encoding that a document of HTML or XML declares in its own text (HTML 13.2.3.2, "prescan a byte
 * stream to determine its encoding"; XML 1.0, section 4.3.3).
 *
 * @returns the label as written, or `undefined` if there is none.
 */
export function findDeclaredCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(bytes.byteLength, maxPrescan),
  ).toString("latin1");
  const xml = /^\s*<\?xml\s[^>]*?encoding\s*=\s*(?:"([^">]*)"|'([^'>]*)')/.exec(head);
  return toLabel(xml?.[1] ?? xml?.[2]) ?? findMeta(head);
}

/** A comment, which `<!-->` is too, the beginning of a tag, or another declaration. */
const markup = /<!--(?:-?>|[^]*?(?:-->|$))|<(\/?[a-z][^\s/>]*)|<[!/?][^>]*>?/gi;

function findMeta(head: string): string | undefined {
  markup.lastIndex = 0;
  for (let found = markup.exec(head); found !== null; found = markup.exec(head)) {
    const name = found[1]?.toLowerCase();
    if (name === undefined) continue;
    if (name === "body" && found.index >= standardPrescan) return undefined;
    const { attributes, end } = readAttributes(head, markup.lastIndex);
    markup.lastIndex = end;
    const label = name === "meta" ? readMeta(attributes) : undefined;
    if (label !== undefined) return label;
  }
  return undefined;
}

function readAttributes(
  head: string,
  start: number,
): { readonly attributes: ReadonlyMap<string, string>; readonly end: number } {
  const attributes = new Map<string, string>();
  let end = start;
  for (;;) {
    attribute.lastIndex = end;
    const found = attribute.exec(head);
    if (found === null) return { attributes, end };
    end = attribute.lastIndex;
    const name = found[1]?.toLowerCase() ?? "";
    if (!attributes.has(name)) attributes.set(name, found[2] ?? found[3] ?? found[4] ?? "");
  }
}

function readMeta(attributes: ReadonlyMap<string, string>): string | undefined {
  const charset = toLabel(attributes.get("charset"));
  if (charset !== undefined) return charset;
  if (attributes.get("http-equiv")?.trim().toLowerCase() !== "content-type") return undefined;
  const content = attributes.get("content") ?? "";
  const found = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(content);
  return toLabel(found?.[1] ?? found?.[2] ?? found?.[3]);
}

/** A document whose declaration can be read as ASCII is not in UTF-16; `x-user-defined` is for scripts. */
function toLabel(text: string | undefined): string | undefined {
  const label = text?.trim().toLowerCase();
  if (label === undefined || label === "") return undefined;
  if (/^(?:utf-?16|unicode|ucs-2|iso-10646-ucs-2|csunicode)/.test(label)) return "utf-8";
  return label === "x-user-defined" ? "windows-1252" : label;
}
