import { readFileSync } from "node:fs";
import { compile } from "@toolweave/starlark";
import { describe, expect, test } from "vitest";
import { qualifiedName } from "../../src/builtins/bind.ts";
import type { BuiltinFunction, ScriptKind } from "../../src/builtins/builtin.ts";
import { completeName, universalNames } from "../../src/builtins/complete-name.ts";
import { languageConstants } from "../../src/builtins/language-modules.ts";
import { writeSignature, writeStubs } from "../../src/builtins/stubs.ts";
import { builtins, builtinsFor } from "../../src/builtins/table.ts";
import { testFunctions } from "../../src/testing/test-functions.ts";

const kinds: readonly ScriptKind[] = ["tool", "hook", "condition", "session", "test"];
const listNames = (functions: readonly BuiltinFunction[]): readonly string[] =>
  functions.map(qualifiedName).sort();
const constants = Object.entries(languageConstants).flatMap(([module, members]) =>
  Object.keys(members).map((name) => `${module}.${name}`),
);

/** The functions of a stub file, by their names in scripts. */
function namesInStubs(stubs: string): readonly string[] {
  const names: string[] = [];
  let module = "";
  for (const line of stubs.split("\n")) {
    module = /^class _?(\w+):/.exec(line)?.[1] ?? (/^\S/.test(line) ? "" : module);
    const name = /^ *def (\w+)\(/.exec(line)?.[1];
    if (name === "__call__") names.push(module);
    else if (name !== undefined) names.push(module === "" ? name : `${module}.${name}`);
  }
  return names.sort();
}

describe.each(kinds)("for scripts of the kind %s", (kind) => {
  const further = kind === "test" ? testFunctions : [];
  const functions = [...builtinsFor(kind), ...further];

  test("stubs have every function of the table, and no other", () => {
    expect(namesInStubs(writeStubs(kind, further))).toEqual(listNames(functions));
  });

  test("completion has every function of the table, and no other", () => {
    const options = { functions: further };
    const top = completeName("", kind, options);
    const modules = top.flatMap(({ name }) => (name.endsWith(".") ? [name] : []));
    const members = modules.flatMap((module) => completeName(`x = ${module}`, kind, options));
    const found = [...top, ...members].filter(({ kind: each }) => each === "function");
    expect([...new Set(found.map(({ name }) => name))].sort()).toEqual(listNames(functions));
    const values = members.filter(({ kind: each }) => each === "value").map(({ name }) => name);
    expect(values.sort()).toEqual([...constants].sort());
  });
});

test("the page of the documentation has every function of the table, and no other", () => {
  const url = new URL("../../../../docs/reference/script-functions.md", import.meta.url);
  const rows = readFileSync(url, "utf8").matchAll(/^\| `([\w.]+)(\([^`]*?)` /gm);
  const signatures = Array.from(rows, ([, name, rest]) => `${name}${rest}`.replaceAll("\\|", "|"));
  const all = [...builtins, ...testFunctions];
  expect(signatures.sort()).toEqual(
    all.map((fn) => writeSignature({ ...fn, name: qualifiedName(fn) })).sort(),
  );
});

test("stubs are Python: no reserved word is a name, and no member hides a type", () => {
  for (const kind of kinds) {
    const stubs = writeStubs(kind, testFunctions);
    expect(stubs).not.toMatch(/^ *def .*\b(?:from|in|is|as|del|pass|class): /m);
    const random = /^class random:\n(?:[ ].*\n)*/m.exec(stubs)?.[0] ?? "";
    expect(random.replaceAll(/def \w+\(/g, "")).not.toMatch(/(?<!_)\b(?:int|float)\b(?! from)/);
  }
  expect(writeStubs("tool")).toContain("def copy(from_: str, /, to: str) -> None:");
  expect(writeStubs("tool")).toContain("\nlog: _log\n");
});

test("completion continues the name at the end of a text", () => {
  const names = (text: string): readonly string[] =>
    completeName(text, "tool", { names: ["extra", "exec_count"] }).map(({ name }) => name);
  expect(names("x = ex")).toEqual(["exec.", "exec_count", "extra"]);
  expect(names("exec.")).toEqual(["exec.run"]);
  expect(names("exec.q")).toEqual([]);
  expect(names("a.b.c")).toEqual([]);
  expect(names("foo().re")).toEqual([]);
  expect(names("1e")).toEqual([]);
  expect(names("f(log.w")).toEqual(["log.warn"]);
});

test("the names of the language are names that a script can use", () => {
  for (const name of universalNames) expect(() => compile(`x = ${name}\n`)).not.toThrow();
});
