// What may stand where in JSON (RFC 8259), as far as it takes to find where a text stops being it.
const space = /[ \t\n\r]*/y;
const token =
  /[[\]{},:]|"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;

type Expected = "value" | "value or ]" | "key" | "key or }" | ":" | ", or ]" | ", or }" | "the end";

/** Returns the position at which a text stops being JSON: `line 3, column 7`. */
export function jsonErrorPosition(text: string): string {
  const before = text.slice(0, findErrorIndex(text)).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}

function findErrorIndex(text: string): number {
  const open: ("]" | "}")[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    at = matchEnd(space, text, at) ?? at;
    const end = matchEnd(token, text, at);
    if (end === undefined) return at;
    const next = nextExpected(text.slice(at, end), expected, open);
    if (next === undefined) return at;
    expected = next;
    at = end;
  }
}

/** Returns what may follow a token; undefined: the token is not allowed there. */
function nextExpected(
  token: string,
  expected: Expected,
  open: ("]" | "}")[],
): Expected | undefined {
  const [first = ""] = token;
  const afterValue = (): Expected => {
    const closing = open.at(-1);
    return closing === undefined ? "the end" : `, or ${closing}`;
  };
  if (first === "]" || first === "}") {
    if (!expected.endsWith(` ${first}`)) return undefined;
    open.pop();
    return afterValue();
  }
  if (first === ",") {
    if (!expected.startsWith(",")) return undefined;
    return open.at(-1) === "]" ? "value" : "key";
  }
  if (first === ":") return expected === ":" ? "value" : undefined;
  if (expected.startsWith("key")) return first === '"' ? ":" : undefined;
  if (!expected.startsWith("value")) return undefined;
  if (first !== "[" && first !== "{") return afterValue();
  open.push(first === "[" ? "]" : "}");
  return first === "[" ? "value or ]" : "key or }";
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
