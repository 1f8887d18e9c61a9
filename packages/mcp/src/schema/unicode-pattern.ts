/** Characters that may be escaped with the flag `u`, beside letters with a meaning (ECMA-262, SyntaxCharacter). */
const syntax: ReadonlySet<string> = new Set("^$\\.*+?()[]{}|/");
/** Escapes of more than one character, or with a meaning, that are the same with the flag. */
const escape =
  /^\\(?:[dDsSwWbBfnrtv]|c[A-Za-z]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|k<[^>]*>|0(?!\d)|[1-9]\d*)/;
const quantifier = /^\{\d+(?:,\d*)?\}/;
const classEscape = /^\\[dDsSwW]$/;

/**
 * Writes a regular expression that is valid without the flag `u` so that it is valid with it, with the same meaning:
 * `^[\w-.]+$` becomes `^[\w\-.]+$` (ECMA-262, annex B.1.2).
 *
 * @throws Error for an invalid one, and one that cannot be written so.
 */
export function toUnicodePattern(pattern: string): string {
  if (isValid(pattern, "u")) return pattern;
  const written = isValid(pattern, "") ? rewrite(pattern) : "";
  if (written !== "" && isValid(written, "u")) return written;
  const quoted = JSON.stringify(pattern.slice(0, 100));
  throw new Error(
    `the pattern ${quoted} is not valid with the flag u, with which clients compile it`,
  );
}

function isValid(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

function rewrite(pattern: string): string {
  let written = "";
  let isInClass = false;
  /** The last atom of a class, with which a hyphen could form a range. */
  let atom = "";
  for (let at = 0; at < pattern.length;) {
    const rest = pattern.slice(at);
    const [character = ""] = rest;
    let source = readAtom(rest);
    let text = source.startsWith("\\") ? toEscape(source, isInClass) : source;
    if (isInClass) {
      if (source === "]") isInClass = false;
      else if (source === "-" && atom !== "" && isLiteralHyphen(atom, rest.slice(1))) {
        text = "\\-";
      }
      atom = source;
    } else if (character === "[") {
      isInClass = true;
      if (rest.startsWith("[^")) source = text = "[^";
      atom = "";
    } else if (character === "{") {
      const counted = quantifier.exec(rest)?.[0];
      if (counted === undefined) text = "\\{";
      else source = text = counted;
    } else if (character === "}" || character === "]") text = `\\${character}`;
    written += text;
    at += source.length;
  }
  return written;
}

function readAtom(rest: string): string {
  if (!rest.startsWith("\\")) return rest.slice(0, 1);
  return escape.exec(rest)?.[0] ?? rest.slice(0, 2);
}

/** An escape of a character without a meaning is the character (IdentityEscape of annex B). */
function toEscape(source: string, isInClass: boolean): string {
  const character = source.slice(1);
  if (escape.test(source)) return source;
  if (syntax.has(character) || (isInClass && character === "-")) return source;
  return isInClass && character === "^" ? source : character;
}

/** A hyphen beside `\w` and the like is one. */
function isLiteralHyphen(before: string, after: string): boolean {
  return classEscape.test(before) || /^\\[dDsSwW]/.test(after);
}
