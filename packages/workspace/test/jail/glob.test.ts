import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileFileGlob, compileGlobs } from "../../src/jail/glob.ts";
import { openWorkspace } from "../support/open-workspace.ts";

function matches(glob: string, path: string, dot = true): boolean {
  return compileGlobs([glob], { dot })(path);
}

describe("a glob", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["*.ts", ["a.ts", ".ts"], ["a/b.ts", "a.tsx"]],
    ["a?c", ["abc", "a.c"], ["ac", "a/c"]],
    ["**/a", ["a", "b/a", "b/c/a"], ["ba", "a/b"]],
    ["a/**", ["a/b", "a/b/c"], ["a", "ab/c"]],
    ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb"]],
    ["a**b", ["ab", "axb"], ["a/b"]],
    ["**", ["a", "a/b", ".a"], []],
    ["[a-c]x", ["ax", "cx"], ["dx", "x"]],
    ["[!a-c]x", ["dx", "^x"], ["ax", "/x"]],
    ["[^a]x", ["bx"], ["ax"]],
    ["a[+-0]b", ["a.b", "a0b"], ["a/b"]],
    ["[]a]x", ["]x", "ax"], ["bx"]],
    ["[[:digit:]_]x", ["1x", "_x"], ["ax"]],
    ["[z-a]x", [], ["zx", "ax", "x"]],
    ["a[b", ["a[b"], ["ab"]],
    ["{a,b/c}.ts", ["a.ts", "b/c.ts"], ["b.ts", "{a,b/c}.ts"]],
    ["*.{ts}", ["a.ts"], ["a.{ts}"]],
    ["{a,{b,c}}x", ["ax", "bx", "cx"], ["x"]],
    ["{,a}b", ["b", "ab"], ["a"]],
    ["{**/,}x", ["x", "a/x"], ["ax"]],
    ["a{b", ["a{b"], ["ab"]],
    ["\\*", ["*"], ["a", "\\a"]],
    ["a\\", ["a\\"], ["a"]],
    ["app/(admin)/**", ["app/(admin)/a"], ["app/admin/a"]],
    ["notes (private).txt", ["notes (private).txt"], ["notes private.txt"]],
    ["app/(.)photo/*", ["app/(.)photo/a"], ["app/xphoto/a"]],
    ["q(1).txt", ["q(1).txt"], ["q1.txt"]],
    ["+(a|b)", ["+(a|b)"], ["a", "ab"]],
    ["a+b$^", ["a+b$^"], ["aab"]],
    ["caf?", ["caf\u00e9", "caf\u{1f600}"], ["caf"]],
    ["a*\nb", ["ax\nb"], ["ax b"]],
  ])("%j", (glob, those, others) => {
    expect(those.filter((path) => !matches(glob, path))).toEqual([]);
    expect(others.filter((path) => matches(glob, path))).toEqual([]);
  });

  test("without dots matches names with a dot only by the dot", () => {
    for (const path of [".a", "b/.a", ".b/a", ".b/.a"]) {
      for (const glob of ["*", "?a", "[!b]a", "**", "**/*", "**/a", "*/*", "*a"]) {
        expect([glob, path, matches(glob, path, false)]).toEqual([glob, path, false]);
      }
    }
    expect(matches(".*", ".a", false)).toBe(true);
    expect(matches("**/.a", "b/.a", false)).toBe(true);
    expect(matches("*.ts", "a.b.ts", false)).toBe(true);
    expect(matches("*.ts", ".ts", false)).toBe(false);
  });

  test("ignores case if asked", () => {
    expect(compileGlobs([".git/[A-C]*"], { ignoreCase: true })(".GIT/Bx")).toBe(true);
  });

  test("K10: takes time linear in the path", () => {
    const path = "a".repeat(4_000);
    for (const glob of ["*a".repeat(60) + "b", "**/".repeat(60) + "b", "{a,aa,aaa}*".repeat(30)]) {
      expect(typeof matches(glob, path)).toBe("boolean");
    }
  });

  test("one of 2,000 is found", () => {
    const globs = Array.from({ length: 2_000 }, (_, index) => `**/folder-${index}/*.{ts,js}`);
    const isMatch = compileGlobs(globs);
    expect(isMatch("a/folder-1999/x.js")).toBe(true);
    expect(isMatch("a/folder-2000/x.js")).toBe(false);
  });
});

describe("the glob of a tool", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["*.ts", ["a.ts", "a/b/c.ts"], ["a.js"]],
    ["/*.ts", ["a.ts"], ["a/b.ts"]],
    ["./src/*.ts", ["src/a.ts"], ["a/src/a.ts"]],
    ["src/", ["src/a", "src/a/b", "x/src/a"], ["src"]],
    ["/src/", ["src/a"], ["x/src/a"]],
    ["!*.ts", ["a.js", "b/c"], ["a.ts", "b/c.ts"]],
    ["src/*.ts", ["src/a.ts"], ["x/src/a.ts"]],
  ])("%s", (glob, those, others) => {
    const isMatch = compileFileGlob(glob);
    expect(those.filter((path) => !isMatch(path))).toEqual([]);
    expect(others.filter(isMatch)).toEqual([]);
  });
});

test("20,000 pairs are decided as git does", () => {
  const name = fc.stringMatching(/^[ab.c()-]{1,3}$/).filter((part) => !/^\.{1,2}$/.test(part));
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  const piece = fc.constantFrom("a", "b", "c", ".", "*", "?", "[ab]", "[!a]", "[^b-c]", "(", ")");
  const part = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.array(piece, { minLength: 1, maxLength: 4 }).map((all) => all.join("")),
    },
    { weight: 1, arbitrary: fc.constant("**") },
  );
  const glob = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  const cases = fc.sample(fc.tuple(glob, fc.array(path, { minLength: 10, maxLength: 10 })), {
    seed: 46,
    numRuns: 2_000,
  });
  const root = tempFolder();
  execFileSync("git", ["init", "-q", root]);
  const lines: string[] = [];
  for (const [index, [pattern, paths]] of cases.entries()) {
    mkdirSync(join(root, `${index}`));
    writeFileSync(join(root, `${index}/.gitignore`), `/${pattern}\n`);
    lines.push(...paths.map((one) => `${index}/${one}`));
  }
  const input = lines.map((line) => `${line}\0`).join("");
  const args = [
    "-C",
    root,
    "-c",
    "core.ignoreCase=false",
    "check-ignore",
    "--no-index",
    "-z",
    "--stdin",
  ];
  const output = execFileSync("git", args, { input, maxBuffer: 1 << 26 }).toString();
  const ignored = new Set(output.split("\0"));
  let matched = 0;
  for (const [index, [pattern, paths]] of cases.entries()) {
    for (const one of paths) {
      // What is in a folder that matches is ignored, too.
      const above = one.split("/").map((_, end, parts) => parts.slice(0, end + 1).join("/"));
      const isMatch = above.some((prefix) => matches(pattern, prefix));
      if (isMatch) matched += 1;
      expect([pattern, one, isMatch]).toEqual([pattern, one, ignored.has(`${index}/${one}`)]);
    }
  }
  expect(matched).toBeGreaterThan(1_000);
});

test("with bracketNames, brackets and braces match themselves as well", () => {
  const matchesAny = compileGlobs(["app/[id]/{a,b}"], { bracketNames: true });
  for (const path of ["app/[id]/a", "app/i/b", "app/[id]/{a,b}", "app/d/{a,b}"]) {
    expect([path, matchesAny(path)]).toEqual([path, true]);
  }
  expect(matchesAny("app/x/a")).toBe(false);
});

test("a glob that cannot be matched in linear time is an error that names it", async () => {
  const glob = "?".repeat(900);
  const error = `invalid_arguments: The glob "**/${glob.slice(0, 97)}…" has too many wildcards`;
  const workspace = openWorkspace({ a: "x" });
  expect(await workspace.failure("list_files", { glob })).toContain(error);
  expect(await workspace.failure("search", { pattern: "x", glob })).toContain(error);
  expect(() => openWorkspace({}, { deny: [glob] })).toThrow(
    expect.objectContaining({ code: "invalid_configuration" }),
  );
});
