import { expect, test } from "vitest";
import { compile, load, StarlarkError } from "../src/index.ts";
import type { Dialect } from "../src/index.ts";

/** The output of a program, which runs at once, and suspended after every operation. */
async function print(source: string, dialect: Dialect | "session" = {}): Promise<string> {
  const outputs: string[] = [];
  for (const stepwise of [false, true]) {
    const lines: string[] = [];
    const program = compile(source, { file: "p.star", dialect });
    await load(program, { print: (line) => void lines.push(line), stepwise });
    outputs.push(lines.join("\n"));
  }
  expect(outputs[1]).toBe(outputs[0]);
  return outputs[0] as string;
}

async function failure(source: string, dialect: Dialect | "session" = {}): Promise<StarlarkError> {
  try {
    await print(source, dialect);
  } catch (error) {
    if (error instanceof StarlarkError) return error;
    throw error;
  }
  throw new Error("the program succeeded");
}

test.each([
  [
    "ints of any size",
    "print(2 * 4611686018427387904 - 1, -7 // 2, -7 % 3, 7 // -2, 1 << 70, ~5)",
    "9223372036854775807 -4 2 -4 1180591620717411303424 -6",
  ],
  [
    "floats to the digit",
    "print(1e6, 123456.0, 0.1 + 0.2, 1 / 3, -0.0, 1e-5, float('inf'))",
    "1e+06 123456.0 0.30000000000000004 0.3333333333333333 -0.0 1e-05 +inf",
  ],
  [
    "strings are bytes",
    "print(len('é世😿'), '世'[0] == '世', 'é世'.codepoints(), list('aé'.elem_ords()))",
    '9 False "é世".codepoints() [97, 195, 169]',
  ],
  [
    "bytes",
    "print(b'a\\xff', len(b'abc'), list(b'ab'.elems()), bytes('é'))",
    'b"a\\xff" 3 [97, 98] b"é"'.replaceAll('b"a\\xff"', "a�").replaceAll('b"é"', "é"),
  ],
  [
    "interpolation",
    "print('%s %r %d %x %o %e %g %c %%' % ('a', 'a', 7, 255, 8, 1.5, 2.5, 65))",
    'a "a" 7 ff 10 1.500000e+00 2.5 A %',
  ],
  ["format", "print('{} {x} {!r} {{}}'.format(1, 'b', x=2))", '1 2 "b" {}'],
  [
    "slices",
    "print([1, 2, 3, 4][::-2], 'abcdef'[1:-1], (1, 2, 3)[-2:], range(10)[2:8:3])",
    "[4, 2] bcde (2, 3) range(2, 8, 3)",
  ],
  [
    "comprehensions",
    "print([x * y for x in range(3) if x for y in (1, 2)], {k: v for k, v in [('a', 1)]})",
    '[1, 2, 2, 4] {"a": 1}',
  ],
  [
    "sort by key",
    "print(sorted(['bb', 'a', 'ccc'], key=len, reverse=True), max([1, 5, 3], key=lambda x: -x))",
    '["ccc", "bb", "a"] 1',
  ],
  [
    "closures",
    "def f():\n  x = []\n  def g(y): x.append(y); return len(x)\n  return g\ng = f()\nprint(g(1), g(2))",
    "1 2",
  ],
  [
    "parameters",
    "def f(a, b=2, *c, d, e=5, **g): return (a, b, c, d, e, g)\nprint(f(1, d=4), f(1, 2, 3, d=4, h=6), f(*[1, 2], **{'d': 3}))",
    '(1, 2, (), 4, 5, {}) (1, 2, (3,), 4, 5, {"h": 6}) (1, 2, (), 3, 5, {})',
  ],
  ["nested unpacking", "(a, [b, (c,)]) = (1, [2, (3,)])\nprint(a, b, c)", "1 2 3"],
  [
    "order of evaluation",
    "r = []\ndef f(x): r.append(x); return x\ny = [f(1), f(2) + f(3), {f(4): f(5)}, f(6) and f(7)]\nprint(r, y)",
    "[1, 2, 3, 4, 5, 6, 7] [1, 5, {4: 5}, 7]",
  ],
  [
    "in-place operators",
    "def f():\n  a = [1]\n  b = a\n  a += (2, 3)\n  d = {}\n  e = d\n  d |= {1: 2}\n  return (b, e)\nprint(f())",
    "([1, 2, 3], {1: 2})",
  ],
  [
    "dicts keep order and equal keys",
    "d = {1: 'a', 2.0: 'b', (1, 'x'): 'c'}\nd[1.0] = 'z'\nprint(d, d[2], d.keys(), (1, 'x') in d)",
    '{1: "z", 2.0: "b", (1, "x"): "c"} b [1, 2.0, (1, "x")] True',
  ],
  [
    "None as a member",
    "d = {1: None, 'a': None, (1,): None}\nprint(d[1], d['a'], d[(1,)], '%(a)s' % d, d.pop(1), d.setdefault('a', 2))",
    "None None None None None None",
  ],
])("%s", async (_, source, output) => {
  expect(await print(source)).toBe(output);
});

// The results are those of starlark-go.
test.each([
  ["sorted(x, len)", '["a", "ccc", "bbb"]'],
  ["sorted(x, len, True)", '["ccc", "bbb", "a"]'],
  ["sorted(x, len, reverse=True)", '["ccc", "bbb", "a"]'],
  ["sorted(x, *[len])", '["a", "ccc", "bbb"]'],
  ["sorted(*[x, len, True])", '["ccc", "bbb", "a"]'],
  ["sorted(x, **{'key': len})", '["a", "ccc", "bbb"]'],
  ["sorted(key=len, iterable=x)", '["a", "ccc", "bbb"]'],
  ["sorted(reverse=True, iterable=x)", '["ccc", "bbb", "a"]'],
  ["by(x, lambda y: y)", '["a", "bbb", "ccc"]'],
  ["min(x, key=len), max(x, key=len)", "a ccc"],
  ["min('bb', 'a', key=len), max('bb', 'a', **{'key': len})", "a bb"],
  ["min(*x, **{'key': lambda y: -len(y)})", "ccc"],
])("a key is called in whatever way it is given: %s", async (call, output) => {
  expect(await print(`x = ['ccc', 'bbb', 'a']\nby = sorted\nprint(${call})`)).toBe(output);
});

test.each([
  ["min(['bb', 'a'], len)", "min: builtin_function_or_method < list not implemented"],
  ["max(['bb', 'a'], *[len])", "max: builtin_function_or_method > list not implemented"],
  ["sorted([2, 1], None)", "sorted: for parameter key: got NoneType, want callable"],
  ["sorted([2, 1], len, True, 1)", "sorted: got 4 arguments, want at most 3"],
])("what is no key is an error: %s", async (call, message) => {
  expect((await failure(`print(${call})`)).message).toBe(message);
});

test("options allow sets, while, control at the top level, reassignment and f-strings", async () => {
  const source =
    "x = 0\nwhile x < 3:\n  x += 1\nfor y in set([1, 2, 1]):\n  print(f'{x}-{y!r} {{}} {[y, \"a\"]}')";
  expect(await print(source, "session")).toBe('3-1 {} [1, "a"]\n3-2 {} [2, "a"]');
  const { problems } = await failure(source, { fstrings: true });
  expect(problems.map(({ message }) => message)).toContain(
    "this Starlark dialect does not support while loops",
  );
});

test("recursion is an error, unless the dialect allows it; then its depth is limited", async () => {
  const source = "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(12))";
  expect((await failure(source)).message).toBe("function fib called recursively");
  expect(await print(source, { recursion: true })).toBe("144");
  const endless = "def f(): return f()\nf()";
  expect((await failure(endless, { recursion: true })).message).toBe("Starlark stack overflow");
});

test("a traceback has every active call with its place, and the built-in function that failed", async () => {
  const source =
    "def inner(x):\n  return [len(y) for y in x]\ndef outer():\n  return inner([[1], 2])\nouter()";
  const error = await failure(source);
  expect(error.code).toBe("execution_failed");
  expect(error.traceback).toBe(
    [
      "Traceback (most recent call last):",
      "  p.star:5:6: in <toplevel>",
      "  p.star:4:15: in outer",
      "  p.star:2:14: in inner",
      "Error in len: len: value of type int has no len",
    ].join("\n"),
  );
  expect(error.position).toEqual({ file: "p.star", line: 2, column: 14 });
});

test("all faults of a text are reported, in order", async () => {
  const error = await failure("x = = 1\ndef f(:\n  pass\ny = (1\n");
  expect(error.code).toBe("invalid_syntax");
  expect(error.problems.map(({ position, message }) => `${position.line}: ${message}`)).toEqual([
    "1: got '=', want primary expression",
    "2: got ':', want ')'",
    "5: got end of file, want ')'",
  ]);
});

test("a text that is nested too deeply has no effect on the statements behind it", async () => {
  const nested = (depth: number): string => `${"(".repeat(depth)}1${")".repeat(depth)}\n`;
  const error = await failure(nested(300).repeat(50) + nested(190));
  expect(error.problems.map(({ position }) => position.line)).toEqual(
    Array.from({ length: 50 }, (_, index) => index + 1),
  );
});

test("an error ends the loops that it leaves, so that their lists can change again", async () => {
  const source = "x = [1, 2]\ndef f():\n  for y in x:\n    x.append(y)\nf()";
  expect((await failure(source)).message).toBe("append: cannot append to list during iteration");
});

test("globals are frozen after the program, and what functions captured is, too", async () => {
  const source =
    "x = [1]\ndef make():\n  y = []\n  def add(): y.append(1); x.append(1)\n  return add\nadd = make()\nadd()";
  const module = await load(compile(source));
  await expect(module.call("add", [])).rejects.toThrow("append: cannot append to frozen list");
});

test("names that are near are suggested", async () => {
  const message = async (source: string): Promise<string> => (await failure(source)).message;
  expect(await message("hello = 1\nx = hallo")).toBe("undefined: hallo (did you mean hello?)");
  expect(await message("x = true")).toBe("undefined: true (did you mean True?)");
  expect(await message("x = ''.uper()")).toBe(
    "string has no .uper field or method (did you mean .upper?)",
  );
});

test.each([
  ["statements", Array.from({ length: 20_000 }, (_, index) => `x${index} = ${index}`).join("\n")],
  [
    "branches",
    `def f(a):\n  if a: a = 1\n${Array.from({ length: 5000 }, (_, index) => `  elif a == ${index}: a = 2`).join("\n")}\nf(0)`,
  ],
  ["operands", `def g(): return 1\nx = g()${" + g()".repeat(999)}`],
  ["items", `x = [${"[1], ".repeat(50_000)}]`],
])("thousands of %s need no deep stack", async (_, source) => {
  await expect(print(source)).resolves.toBe("");
});
