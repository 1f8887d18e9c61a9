/** Maximum length of text that is searched: an error after it is of no use to a reader. */
const maxSearched = 1_000_000;

/** Describes the position at which a text is no longer JSON: `at position 12 (line 2, column 3)`. */
export function describeJsonError(text: string): string {
  const position = findErrorPosition(text.slice(0, maxSearched));
  if (position >= maxSearched) return `after position ${maxSearched}`;
  const before = text.slice(0, position);
  const line = before.split("\n").length;
  const column = position - before.lastIndexOf("\n");
  const what = position >= text.trimEnd().length ? "it ends too early, " : "";
  return `${what}at position ${position} (line ${line}, column ${column})`;
}

/** Matches the scalars of RFC 8259, sections 2 to 7. */
const scalar =
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\d.eE+-])|(?:true|false|null)(?!\w)/y;

/** The next expected token. */
type Expected = "value" | "value or end" | "name" | "name or end" | "colon" | "separator";

/** Finds the position, because the engine's own messages contain it only sometimes. */
function findErrorPosition(text: string): number {
  const open: string[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    while (/[ \t\n\r]/.test(text.charAt(at))) at += 1;
    if (at >= text.length) return at;
    const next = text.charAt(at);
    const wantsValue: boolean = expected === "value" || expected === "value or end";
    const wantsName: boolean = expected === "name" || expected === "name or end";
    if (wantsValue && (next === "{" || next === "[")) {
      open.push(next);
      expected = next === "{" ? "name or end" : "value or end";
      at += 1;
    } else if (next === "]" || next === "}") {
      const isEnd = expected === "separator" || expected.endsWith("or end");
      if (!isEnd || open.pop() !== (next === "]" ? "[" : "{")) return at;
      expected = "separator";
      at += 1;
    } else if (expected === "separator") {
      if (next !== "," || open.length === 0) return at;
      expected = open.at(-1) === "{" ? "name" : "value";
      at += 1;
    } else if (expected === "colon") {
      if (next !== ":") return at;
      expected = "value";
      at += 1;
    } else {
      if (wantsName && next !== '"') return at;
      scalar.lastIndex = at;
      if (!scalar.test(text)) return at;
      at = scalar.lastIndex;
      expected = wantsName ? "colon" : "separator";
    }
  }
}
