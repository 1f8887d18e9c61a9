import type { Random } from "./random.ts";

/** The types of generated expressions. */
export type Type = "int" | "float" | "str" | "bool" | "list" | "dict" | "tuple" | "any";

/** The bounds of a slice. */
export function randomSlice(random: Random): string {
  const part = (): string => random.pick(["", "", "0", "1", "2", "-1", "-2", "5"]);
  return random.chance(0.3)
    ? `${part()}:${part()}:${random.pick(["1", "2", "-1", "-2"])}`
    : `${part()}:${part()}`;
}

/** A literal of a type. */
export function randomLiteral(random: Random, type: Type): string {
  switch (type) {
    case "int":
      return random.pick([
        "0",
        "1",
        "2",
        "7",
        "-3",
        "10",
        "255",
        "4294967296",
        "9007199254740993",
        "0x1f",
        "0o17",
      ]);
    case "float":
      return random.pick([
        "0.0",
        "1.0",
        "1.5",
        "-2.25",
        "1e10",
        "3.14159",
        "1e-7",
        "123456.789",
        "1e100",
      ]);
    case "str":
      return random.pick([
        '""',
        '"a"',
        '"abc"',
        '"Hello, World"',
        '" x  y "',
        '"é世😿"',
        "'q\\'\\n'",
        '"a,b,,c"',
        '"%"',
      ]);
    case "bool":
      return random.pick(["True", "False"]);
    case "list":
      return random.pick([
        "[]",
        "[1, 2, 3]",
        '["a", "b"]',
        "[3, 1, 2]",
        "[None, True]",
        "[[1], [2]]",
      ]);
    case "dict":
      return random.pick(["{}", '{"a": 1}', '{1: "x", 2: "y"}', '{"k": [1]}']);
    default:
      return random.pick(["()", "(1,)", '(1, "a")', "(1, 2, 3)", "((1, 2), 3)"]);
  }
}
