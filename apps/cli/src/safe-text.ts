// Control and format characters move the cursor, recolour, retitle or reorder what a person reads;
// ignorable ones hide something in it.
const unsafe = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

// Joiners and variation selectors, which scripts and emoji are written with.
const harmless = /\u200c|\u200d|[\ufe00-\ufe0f]/;

/** Text that nobody here has written, for a terminal: line breaks and tabs stay, tricks become visible. */
export function safeText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(unsafe, (character) => {
    if (character === "\n" || character === "\t") return character;
    return harmless.test(character) ? character : escaped(character);
  });
}

/** The same as one line: runs of white space become one space. */
export function safeLine(text: string): string {
  return safeText(text.replace(/\s+/g, " ").trim());
}

/** The same JSON with every such character inside its strings written as an escape. */
export function safeJson(json: string): string {
  return json.replace(unsafe, (character) =>
    character === "\n" || harmless.test(character) ? character : utf16(character),
  );
}

function escaped(character: string): string {
  const point = character.codePointAt(0) as number;
  if (character === "\r") return "\\r";
  if (point <= 0xff) return `\\x${point.toString(16).padStart(2, "0")}`;
  return utf16(character);
}

function utf16(character: string): string {
  let written = "";
  for (let index = 0; index < character.length; index++) {
    written += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return written;
}
