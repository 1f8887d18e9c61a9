import { expect, test } from "vitest";
import { compile, hostFunction, json, load, math, StarlarkError, Thread } from "../src/index.ts";

const predeclared = { json, math };
const dialect = { set: true, topLevelControl: true, globalReassign: true } as const;

/** The steps that a program takes. */
async function countSteps(text: string): Promise<number> {
  const thread = new Thread({ maxMemoryBytes: 2 ** 40 });
  await load(compile(text, { dialect, predeclared: Object.keys(predeclared) }), {
    predeclared,
    thread,
  });
  return thread.steps;
}

/** Operations with the values that they need. Each makes one pass over a value of `N` bytes or elements, or several. */
const operations: Readonly<Record<string, readonly string[]>> = {
  "s = 'a' * N; t = s[:-1] + 'b'": [
    "s == t",
    "s < t",
    "[s] == [t]",
    "s in [t]",
    "s.startswith(t)",
    "s.endswith((t,))",
    "s.removeprefix(t)",
    "s.removesuffix(t)",
    "'b' in s",
    "s.find('b')",
    "s.rfind('b')",
    "s.count('b')",
    "s.replace('b', 'c')",
    "s.split('b')",
    "s.split()",
    "s.partition('b')",
    "s.upper()",
    "s.islower()",
    "s.isdigit()",
    "s.isspace()",
    "s.strip('a')",
    "s[1:]",
    "s[::-1]",
    "s + t",
    "'%s' % s",
    "'{}'.format(s)",
    "hash(s)",
    "repr(s)",
    "bytes(s)",
    "json.encode(s)",
    "getattr('', s, None)",
    "hasattr('', s)",
    "{s: 1}.get(t)",
    "dict(**{s: 1})",
  ],
  "s = '1' * N": ["s.isupper()", "s.istitle()", "s.title()", "list(s.elems())"],
  "s = ' ' * N": ["s.strip()", "s.isspace()", "s.split()"],
  "s = '\\u00e9' * N": ["s.upper()", "s.islower()", "repr(s)", "s.codepoints()", "len(s)"].slice(
    0,
    3,
  ),
  "s = '0.' + '0' * N": ["float(s)"],
  "s = '{{' * N": ["s.format()"],
  "s = '%%' * N": ["s % ()"],
  "s = '[' + '1,' * N + '1]'": ["json.decode(s)", "json.indent(s)"],
  "b = bytes('a' * N); c = bytes('a' * (N - 1) + 'b')": [
    "b == c",
    "bytes('b') in b",
    "98 in b",
    "hash(b)",
    "b[1:]",
    "repr(b)",
  ],
  "x = [1] * N; y = [1] * (N - 1) + [2]": [
    "x == y",
    "x < y",
    "2 in x",
    "2 in tuple(x)",
    "y.index(2)",
    "y.remove(2)",
    "sorted(x)",
    "max(x)",
    "all(x)",
    "list(x)",
    "x + y",
    "x * 2",
    "x[1:]",
    "zip(x)",
    "enumerate(x)",
    "reversed(x)",
    "set(x)",
    "','.join([str(i) for i in x])",
    "repr(x)",
    "json.encode(x)",
  ],
  "d = {i: 1 for i in range(N)}; e = {i: 1 for i in range(N)}": [
    "d == e",
    "d.keys()",
    "d.items()",
    "d.values()",
    "d | e",
    "d.update(e)",
    "d.popitem()",
    "set(d) == set(e)",
    "repr(d)",
  ],
};
const rows = Object.entries(operations).flatMap(([setup, list]) =>
  list.map((operation) => ({ setup, operation })),
);

test.each(rows)("after $setup, the steps of $operation grow with N", async (row) => {
  const measure = async (size: number): Promise<number> => {
    const setup = row.setup.replaceAll("N", String(size)).replaceAll("; ", "\n");
    return (await countSteps(`${setup}\nz = ${row.operation}`)) - (await countSteps(setup));
  };
  const [small, large] = [1 << 10, 1 << 16];
  // One step is about the time in which a native operation reads some kilobytes.
  expect((await measure(large)) - (await measure(small))).toBeGreaterThan((large - small) >> 13);
});

test("a call takes steps in proportion to its parameters and to the names of its arguments", async () => {
  const parameters = (count: number): string =>
    Array.from({ length: count }, (_, index) => `a${index}=1`).join(", ");
  const define = (count: number): string =>
    `def f(${parameters(count)}): pass\nd = {"a%d" % i: 2 for i in range(${count})}\n`;
  for (const call of ["f()", "f(**d)"]) {
    const [few = 0, many = 0] = await Promise.all(
      [100, 10_000].map(
        async (count) =>
          (await countSteps(define(count) + call)) - (await countSteps(define(count))),
      ),
    );
    expect(many - few).toBeGreaterThan(70);
  }
});

test("frames with many variables end a recursion early", async () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `a${index}=1`).join(", ");
  const depths: number[] = [];
  const options = { dialect: { recursion: true }, predeclared: ["note"] };
  const note = hostFunction("note", ([depth]) => void depths.push(depth as number));
  for (const extra of ["", `, ${names}`]) {
    const program = compile(`def f(n${extra}):\n  note(n)\n  f(n + 1)\nf(1)`, options);
    await expect(load(program, { predeclared: { note } })).rejects.toThrow("stack overflow");
  }
  const [plain = 0, wide = 0] = [depths.indexOf(1, 1), depths.length - depths.indexOf(1, 1)];
  expect(plain).toBeGreaterThan(900);
  expect(wide).toBeLessThan(10);
});

test("a text with thousands of faults has 100 in its error, and 10 of them propose a name", () => {
  const known = Array.from({ length: 5000 }, (_, index) => `name_${index} = 1\n`).join("");
  const faults = Array.from({ length: 5000 }, (_, index) => `print(nome_${index})\n`).join("");
  const fail = (text: string): StarlarkError => {
    try {
      compile(text, { dialect });
    } catch (error) {
      return error as StarlarkError;
    }
    throw new Error("The text has no fault.");
  };
  const { problems } = fail(known + faults);
  expect(problems.length).toBe(100);
  expect(problems.filter(({ message }) => message.includes("did you mean")).length).toBe(10);
  expect(fail("break;".repeat(5000)).problems.length).toBe(100);
  expect(fail("f(a=1, a=2);".repeat(5000)).problems.length).toBe(100);
});

test("a name of more than 40 letters has no proposal", () => {
  const name = "a".repeat(41);
  expect(() => compile(`${name} = 1\nprint(${name}b)`)).toThrow(/^undefined: a+b$/);
});
