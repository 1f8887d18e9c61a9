import { expect, test } from "vitest";
import { parse, walkSyntax } from "../src/index.ts";

test("a text has its statements, and all its faults with their places", () => {
  const { problems, statements } = parse("x = 1\ny = = 2\ntry:\n", {
    file: "a.md",
    start: { line: 5, column: 3 },
  });
  expect(statements).toHaveLength(1);
  expect(problems).toEqual([
    { position: { file: "a.md", line: 6, column: 7 }, message: "got '=', want primary expression" },
    { position: { file: "a.md", line: 7, column: 3 }, message: "got try, want primary expression" },
  ]);
});

test("nodes are visited in the order of the text, the outer ones first", () => {
  const { statements, text, position } = parse(
    "def f(a, b=1, *c):\n    return g(a if b else {1: c}, k=[x for x in c if x])\n",
  );
  const nodes = [...walkSyntax(statements)];
  const starts = nodes.map(({ start }) => start);
  expect(starts).toEqual(starts.toSorted((left, right) => left - right));
  expect(
    nodes.filter(({ kind }) => kind === "name").map(({ start, end }) => text.slice(start, end)),
  ).toEqual(["f", "a", "b", "c", "g", "a", "b", "c", "x", "x", "c", "x"]);
  expect(position(nodes.at(-1)?.start ?? 0)).toEqual({ file: "script.star", line: 2, column: 53 });
});

test("parts can be left out, and long operators need no deep stack", () => {
  const { statements } = parse("def f():\n    return 1\nx = lambda: 2\n");
  const outer = [...walkSyntax(statements, ({ kind }) => kind !== "def" && kind !== "lambda")];
  expect(outer.map(({ kind }) => kind)).toEqual(["def", "assign", "name", "lambda"]);
  const sum = parse(`x = ${Array.from({ length: 900 }, () => "1").join(" + ")}`);
  expect([...walkSyntax(sum.statements)]).toHaveLength(2 + 899 + 900);
});
