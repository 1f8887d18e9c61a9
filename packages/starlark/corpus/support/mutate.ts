import type { Random } from "./random.ts";

const pieces = [
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  ":",
  ",",
  ";",
  "\n",
  "\n  ",
  "\t",
  " ",
  "\\",
  "\\\n",
  "#",
  '"',
  "'",
  '"""',
  "r'",
  'b"',
  "=",
  "==",
  "**",
  "*",
  "+=",
  "//",
  "<<",
  "lambda x: ",
  "def f(x):\n  ",
  "for x in y:\n  ",
  "if x:\n  ",
  "else",
  "elif",
  "return",
  "load(",
  "not",
  "in",
  "and",
  "or",
  "0x",
  "0o8",
  "1e",
  "1.",
  ".5",
  "0755",
  "\u0000",
  "\ud800",
  "\r\n",
  "\ufeff",
  "é",
  "世",
  "😿",
  "\\x",
  "\\u12",
  "99999999999999999999",
  "pass",
  "break",
  "while True:\n  ",
  "class",
  'f"{x}"',
  "...",
  "@",
  "!",
  "$",
  "?",
  "`",
  "(((((((((((",
];

/** A text with a few random changes: pieces that are removed, doubled, moved or inserted. */
export function mutate(random: Random, text: string): string {
  let mutated = text;
  const count = 1 + random.below(4);
  for (let round = 0; round < count; round++) {
    const at = random.below(mutated.length + 1);
    const end = Math.min(mutated.length, at + 1 + random.below(20));
    switch (random.below(5)) {
      case 0:
        mutated = mutated.slice(0, at) + mutated.slice(end);
        break;
      case 1:
        mutated = mutated.slice(0, end) + mutated.slice(at);
        break;
      case 2: {
        const other = random.below(mutated.length + 1);
        mutated = mutated.slice(0, other) + mutated.slice(at, end) + mutated.slice(other);
        break;
      }
      default:
        mutated =
          mutated.slice(0, at) + random.pick(pieces) + mutated.slice(random.chance(0.5) ? at : end);
    }
  }
  return mutated;
}
