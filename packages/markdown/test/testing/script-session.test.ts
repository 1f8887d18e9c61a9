import { expect, test } from "vitest";
import { ScriptSession } from "../../src/testing/script-session.ts";
import { SessionInput } from "../../src/testing/session-input.ts";

function session() {
  const output: string[] = [];
  const made = new ScriptSession({
    scope: {
      cache: new Map(),
      env: {},
      signal: undefined,
      now: () => 5,
      random: () => 0,
      log: () => {},
      listTools: () => [],
      effect: () => Promise.reject(new Error("refused")),
      callTool: () => Promise.reject(new Error("refused")),
    },
    print: (line) => void output.push(`print ${line}`),
    onValue: (text) => void output.push(text),
    findFile: (name) =>
      name === "lib.star"
        ? { file: "lib.star", text: "def twice(x):\n    return 2 * x\n" }
        : undefined,
  });
  return {
    session: made,
    run: async (...texts: readonly string[]) => {
      output.length = 0;
      for (const text of texts) {
        await made.run(text).catch((error: Error & { traceback?: string }) => {
          output.push(error.traceback ?? error.message);
        });
      }
      return [...output];
    },
  };
}

test("names stay defined, and expressions are written by repr", async () => {
  const { run } = session();
  expect(await run("x = 2", "x", "'é'", "None", "1.0, x", "x += 1; x; x * 2")).toEqual([
    "2",
    '"é"',
    "(1.0, 2)",
    "3",
    "6",
  ]);
  expect(await run("def f(y):\n    return x + y\n", "f(1)", "f", "print(f(2))")).toEqual([
    "4",
    "<function f>",
    "print 5",
  ]);
});

test("lists and dicts of earlier inputs can be changed", async () => {
  const { run } = session();
  expect(
    await run(
      "x = [1]; d = {'a': [1]}; s = set([1])",
      "x.append(2)",
      "d['a'].append(3); s.add(2)",
      "x, d, s",
    ),
  ).toEqual(['([1, 2], {"a": [1, 3]}, set([1, 2]))']);
  expect(await run("x.append(x)", "x", "len(x)")).toEqual(["[1, 2, [...]]", "3"]);
});

test("statements of one input see each other, and what ran before an error stays", async () => {
  const { run } = session();
  expect(await run("def a():\n    return b()\ndef b():\n    return 7\na()")).toEqual(["7"]);
  const [failed, value] = await run("y = 1\ny\nz = y // 0", "y");
  expect([failed, value]).toEqual(["1", expect.stringContaining("<input 2>:3:7: in <toplevel>")]);
});

test("errors have the places of the input, and all faults are reported", async () => {
  const { run } = session();
  const [faults] = await run("x = = 1\ny = (2\n");
  expect(faults).toBe(
    "<input 1>:1:5: got '=', want primary expression\n<input 1>:3:1: got end of file, want ')'",
  );
  expect(await run("1 +\\\n  q")).toEqual(["<input 2>:2:3: undefined: q"]);
});

test("functions of the host, load, loops and f-strings work, and effects are those of the host", async () => {
  const { run, session: made } = session();
  expect(
    await run(
      'load("lib.star", "twice")',
      "for i in range(2):\n    print(f'{twice(i)}')",
      "time.now()",
    ),
  ).toEqual(["print 0", "print 2", "5"]);
  expect((await run("exec.run('ls')"))[0]).toMatch(/refused/);
  expect([...made.capabilities]).toContain("process");
  expect(made.names).toEqual(["twice", "i"]);
  expect(made.lastUse.steps).toBeGreaterThan(0);
});

test("an aborted input ends, and the session continues", async () => {
  const { run, session: made } = session();
  const controller = new AbortController();
  const endless = made.run("while True:\n    pass\n", { signal: controller.signal });
  controller.abort();
  await expect(endless).rejects.toMatchObject({ code: "cancelled" });
  expect(await run("1 + 1")).toEqual(["2"]);
});

test("lines become inputs as at the prompt of Python", () => {
  const inputs = (...lines: readonly string[]): readonly string[] => {
    const input = new SessionInput();
    return [...lines.flatMap((line) => input.add(line)), ...input.end()];
  };
  expect(inputs("x = 1", "", "y")).toEqual(["x = 1\n", "y\n"]);
  expect(inputs("f(1,", "", "2)", "z")).toEqual(["f(1,\n\n2)\n", "z\n"]);
  expect(inputs("def f():", "    return 1", "", "f()")).toEqual([
    "def f():\n    return 1\n\n",
    "f()\n",
  ]);
  expect(inputs("if x:", "  1", "else:", "  2", "y = 3")).toEqual([
    "if x:\n  1\nelse:\n  2\n",
    "y = 3\n",
  ]);
  expect(inputs('s = """a', "b", '"""', "s")).toEqual(['s = """a\nb\n"""\n', "s\n"]);
  expect(inputs("def f():", "")).toEqual(["def f():\n\n"]);
  expect(inputs("x = = (", "y")).toEqual(["x = = (\n", "y\n"]);
  expect(inputs("# note", "x")).toEqual(["# note\n", "x\n"]);
});
