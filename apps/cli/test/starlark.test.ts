import { expect, test } from "vitest";
import { project } from "./support/project.ts";

test("starlark run prints what a program prints, and the result of a function", async () => {
  const { run, write } = project();
  write("lib.star", "def twice(x): return 2 * x");
  write(
    "main.star",
    'load("lib.star", "twice")\nprint("hello", math.sqrt(4))\ndef f(x): return {"n": twice(x["n"]), "é": [1.5, None]}',
  );
  const plain = await run(["starlark", "run", "main.star"]);
  expect(plain).toMatchObject({ code: 0, stdout: "hello 2.0\n", stderr: "" });
  const called = await run([
    "starlark",
    "run",
    "main.star",
    "--call",
    "f",
    "--args",
    '[{"n": 21}]',
  ]);
  expect(called).toMatchObject({ code: 0, stdout: 'hello 2.0\n{"n":42,"é":[1.5,null]}\n' });
  const json = await run([
    "starlark",
    "run",
    "main.star",
    "--call",
    "f",
    "--args",
    '[{"n": 1}]',
    "--json",
  ]);
  expect(JSON.parse(json.stdout)).toMatchObject({ output: ["hello 2.0"], result: { n: 2 } });
});

test("starlark run reports the traceback of a program that fails, and stops one without end", async () => {
  const { run, write } = project();
  write("fail.star", "def f():\n  return [][1]\nf()");
  const failed = await run(["starlark", "run", "fail.star"]);
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain(
    "  fail.star:3:2: in <toplevel>\n  fail.star:2:12: in f\nError: index 1 out of range: empty list",
  );
  write("endless.star", "def f():\n  for i in range(1 << 60):\n    pass\nf()");
  const endless = await run(["starlark", "run", "endless.star", "--max-steps", "1000"]);
  expect(endless.code).toBe(1);
  expect(endless.stderr).toContain("Error: the script took more than 1000 steps");
});

test("starlark run loads nothing from outside of the program's folder", async () => {
  const { run, write } = project();
  write("secret.star", "x = 1");
  write("below/main.star", 'load("../secret.star", "x")');
  const { code, stderr } = await run(["starlark", "run", "below/main.star"]);
  expect(code).toBe(1);
  expect(stderr).toContain(
    "cannot load ../secret.star: the file is outside of the program's folder",
  );
});

test("starlark run fails for options and files that it cannot use", async () => {
  const { run, write } = project();
  write("a.star", "x = 1");
  expect(await run(["starlark", "run", "none.star"])).toMatchObject({ code: 2 });
  expect(await run(["starlark", "run", "a.star", "--args", "{}"])).toMatchObject({ code: 2 });
  expect(await run(["starlark", "run", "a.star", "--timeout", "soon"])).toMatchObject({ code: 2 });
});

test("starlark check reports every fault of every file", async () => {
  const { run, write } = project();
  write("a.star", "x = y\nz = = 1\n");
  write("b.star", "x = host.get()\nwhile True: pass\n");
  const found = await run(["starlark", "check", "a.star", "b.star", "--predeclared", "host"]);
  expect(found.code).toBe(1);
  expect(found.stdout.split("\n")).toEqual([
    "a.star:2:5: got '=', want primary expression",
    "b.star:2:1: this Starlark dialect does not support while loops",
    "b.star:2:1: while loop not within a function",
    "",
  ]);
  const json = await run(["starlark", "check", "a.star", "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ file: "a.star", line: 2, column: 5 });
  write("b.star", "x = 1\n");
  expect(await run(["starlark", "check", "b.star"])).toMatchObject({ code: 0, stdout: "" });
});

test("starlark fmt prints, checks and writes the standard form", async () => {
  const { run, write, read } = project();
  const [rough, standard] = [
    "x=[1,2] # two\ndef f( a ):return a\n",
    "x = [1, 2]  # two\ndef f(a):\n    return a\n",
  ];
  write("a.star", rough);
  expect(await run(["starlark", "fmt", "a.star"])).toMatchObject({ code: 0, stdout: standard });
  expect(await run(["starlark", "fmt", "--check", "a.star"])).toMatchObject({
    code: 1,
    stdout: "a.star\n",
  });
  expect(read("a.star")).toBe(rough);
  expect(await run(["starlark", "fmt", "--write", "a.star"])).toMatchObject({
    code: 0,
    stdout: "",
  });
  expect(read("a.star")).toBe(standard);
  expect(await run(["starlark", "fmt", "--check", "a.star"])).toMatchObject({
    code: 0,
    stdout: "",
  });
  write("b.star", "x = (\n");
  expect(await run(["starlark", "fmt", "b.star"])).toMatchObject({ code: 1 });
});
