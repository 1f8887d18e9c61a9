import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { workspaceEffects } from "../../src/effects.ts";
import { workspacePolicy } from "../../src/index.ts";
import { asked, effectsUnder, openEffects } from "../support/open-effects.ts";

const rmDenied = { effect: "deny", permissions: { kind: "process", target: "rm *" } } as const;
const readsDenied = { effect: "deny", permissions: { kind: "fs.read", target: "**" } } as const;

/** Kinds and targets, with paths relative to the workspace. */
function targets(root: string, permissions: ReturnType<typeof asked>): readonly string[] {
  return permissions.map(({ kind, target }) => `${kind} ${target.replaceAll(`${root}/`, "")}`);
}

describe("under the policy supervised", () => {
  test.each<[string, JsonObject]>([
    ["fs_read", { path: "a.txt" }],
    ["fs_stat", { path: "a.txt" }],
    ["fs_stat", { path: "none" }],
    ["fs_list", {}],
    ["fs_glob", { pattern: "*" }],
    ["fs_find", { pattern: "x" }],
    ["fs_diff", { path: "a.txt", text: "" }],
  ])("%s runs at once: %j", async (name, args) => {
    const { root } = openEffects({ "a.txt": "x" });
    expect(await effectsUnder("supervised", { root })(name, args)).toMatchObject({ ok: true });
  });

  test.each<[string, JsonObject, readonly string[]]>([
    ["fs_write", { path: "d/b", content: "" }, ["fs.write d/b"]],
    ["fs_edit", { path: "a.txt", lines: { start: 1 } }, ["fs.write a.txt"]],
    ["fs_mkdir", { path: "d" }, ["fs.write d"]],
    ["fs_remove", { path: "a.txt" }, ["fs.write a.txt"]],
    ["fs_remove", { path: "link" }, ["fs.write link"]],
    ["fs_copy", { from: "a.txt", to: "b" }, ["fs.write b"]],
    ["fs_move", { from: "a.txt", to: "b" }, ["fs.write a.txt", "fs.write b"]],
    ["fs_write", { path: "link", content: "" }, ["fs.write a.txt"]],
    ["exec_run", { cmd: "ls" }, ["process ls"]],
    ["exec_run", { cmd: "touch", args: ["a b"] }, ["process touch 'a b'", "fs.write a b"]],
  ])("%s asks: %j", async (name, args, permissions) => {
    const { root } = openEffects({ "a.txt": "x" });
    symlinkSync("a.txt", join(root, "link"));
    const outcome = await effectsUnder("supervised", { root })(name, args);
    expect(outcome.status).toBe("interrupted");
    expect(targets(root, asked(outcome))).toEqual(permissions);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("x");
  });

  test("fs_copy declares the read of its source", async () => {
    const { root } = openEffects({ "a.txt": "x" });
    const call = effectsUnder({ rules: [readsDenied] }, { root });
    const outcome = await call("fs_copy", { from: "a.txt", to: "b" });
    expect(outcome.error?.code).toBe("permission_denied");
  });
});

describe("the permission of exec_run", () => {
  test.each([
    [["echo", "; rm -rf x"], "echo '; rm -rf x'"],
    [["echo", "$(rm x)", "`rm x`"], "echo '$(rm x)' '`rm x`'"],
    [["echo", "a\nrm x"], String.raw`echo 'a\u{A}rm x'`],
    [["my prog", "it's"], String.raw`'my prog' 'it'\''s'`],
    [["git", "commit", "-m", 'a "b"'], `git commit -m 'a "b"'`],
  ])("names the words of %j", async ([cmd = "", ...args], target) => {
    const { root } = openEffects();
    const outcome = await effectsUnder("supervised", { root })("exec_run", { cmd, args });
    expect(asked(outcome).map((one) => [one.kind, one.target])).toEqual([["process", target]]);
    expect(asked(outcome)[0]?.details).toMatchObject({ isKnown: true, argv: [cmd, ...args] });
  });

  test("sees through programs that run others", async () => {
    const { root } = openEffects();
    const call = effectsUnder({ rules: [rmDenied] }, { root });
    for (const args of [
      { cmd: "timeout", args: ["5", "rm", "a"] },
      { cmd: "bash", args: ["-c", "echo; rm a"] },
    ]) {
      expect((await call("exec_run", args)).error?.code).toBe("permission_denied");
    }
    const echo = await call("exec_run", { cmd: "echo", args: ["rm a"] });
    expect(echo.status).toBe("interrupted");
  });

  test("is for the whole command if that has variables of its own", async () => {
    const { root } = openEffects();
    const call = effectsUnder(workspacePolicy({ maxRisk: "high" }), { root });
    expect((await call("exec_run", { cmd: "ls" })).status).toBe("completed");
    const outcome = await call("exec_run", { cmd: "ls", env: { A: "b c" } });
    expect(asked(outcome).map(({ target }) => target)).toEqual(["A='b c' ls"]);
  });

  test("lets workspacePolicy run programs that only read in the workspace", async () => {
    const { root } = openEffects({ "a.txt": "x" });
    const call = effectsUnder(workspacePolicy(), { root });
    const getStatus = async (cmd: string, ...args: readonly string[]) =>
      (await call("exec_run", { cmd, args })).status;
    expect(await getStatus("cat", "a.txt")).toBe("completed");
    expect(await getStatus("cat", "/etc/hostname")).toBe("interrupted");
    expect(await getStatus("rm", "a.txt")).toBe("interrupted");
    expect(existsSync(join(root, "a.txt"))).toBe(true);
  });

  test("is asked for files with credentials, and refused for protected ones", async () => {
    const { root } = openEffects({ ".env": "KEY=1" });
    const call = effectsUnder(workspacePolicy(), { root });
    const outcome = await call("exec_run", { cmd: "cat", args: [".env"] });
    expect(targets(root, asked(outcome))).toEqual(["custom.secret_file .env"]);
    const refused = await call("exec_run", { cmd: "touch", args: [".git/hooks/x"] });
    expect(refused.error?.message).toContain("is protected");
  });
});

/** Calls of all tools for files with a path, or with several. */
const callsWith = (path: string): readonly [string, JsonObject][] => [
  ["fs_read", { path }],
  ["fs_stat", { path }],
  ["fs_list", { path }],
  ["fs_glob", { pattern: "**", path }],
  ["fs_find", { pattern: ".", path }],
  ["fs_diff", { path, text: "" }],
  ["fs_diff", { path: "a.txt", other: path }],
  ["fs_write", { path, content: "x" }],
  ["fs_write", { path, content: "x", mode: "append" }],
  ["fs_edit", { path, lines: { start: 1 } }],
  ["fs_mkdir", { path: `${path}/d` }],
  ["fs_copy", { from: path, to: "b" }],
  ["fs_copy", { from: "a.txt", to: path }],
  ["fs_move", { from: "a.txt", to: path }],
  ["exec_run", { cmd: "ls", dir: path }],
];

describe("a path that leads outside", () => {
  test.each([
    "../outside",
    "../outside/canary",
    "d/../../outside/canary",
    "ABSOLUTE/canary",
    "folder-link",
    "folder-link/canary",
    "file-link",
  ])("is refused by every tool, and nothing is read or changed: %s", async (path) => {
    const { call, root } = openEffects({ "a.txt": "x", "d/e": "" });
    const outside = join(root, "../outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "canary"), "canary-of-outside");
    symlinkSync(outside, join(root, "folder-link"));
    symlinkSync(join(outside, "canary"), join(root, "file-link"));
    const named = path.replace("ABSOLUTE", outside);
    for (const [name, args] of callsWith(named)) {
      const outcome = await call(name, args);
      expect([name, outcome.error?.code]).toEqual([name, "permission_denied"]);
      expect(JSON.stringify(outcome)).not.toContain("canary-of-outside");
    }
    expect(readFileSync(join(outside, "canary"), "utf8")).toBe("canary-of-outside");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("x");
    expect(existsSync(join(root, "b"))).toBe(false);
  });

  test("is never removed or moved", async () => {
    const { failure, root } = openEffects({ "a.txt": "x" });
    const outside = join(root, "../outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "canary"), "");
    symlinkSync(outside, join(root, "link"));
    for (const path of ["../outside", "../outside/canary", "link/canary", outside]) {
      const removed = failure("fs_remove", { path, recursive: true });
      expect(await removed).toContain("permission_denied");
      expect(await failure("fs_move", { from: path, to: "b" })).toContain("permission_denied");
    }
    expect(existsSync(join(outside, "canary"))).toBe(true);
  });
});

describe("the rules of the workspace", () => {
  test("ask for files with credentials, marked files and hard links", async () => {
    const { root } = openEffects({ ".env": "K=1", "m/a": "", "d/.env": "", one: "1" });
    linkSync(join(root, "one"), join(root, "two"));
    const call = effectsUnder("supervised", { root, ask: ["m"] });
    const askedBy = async (name: string, args: JsonObject) =>
      targets(root, asked(await call(name, args)));
    expect(await askedBy("fs_read", { path: ".env" })).toEqual(["custom.secret_file .env"]);
    expect(await askedBy("fs_copy", { from: ".env", to: "x" })).toEqual([
      "custom.secret_file .env",
      "fs.write x",
    ]);
    expect(await askedBy("fs_stat", { path: "m/a" })).toEqual(["custom.marked_file m/a"]);
    expect(await askedBy("fs_write", { path: "two", content: "" })).toEqual([
      "fs.write two",
      "custom.linked_file two",
    ]);
    expect(await askedBy("fs_remove", { path: "d", recursive: true })).toEqual([
      "fs.write d",
      "custom.secret_file d/.env",
    ]);
  });

  test("refuse changes of protected files, or ask for them", async () => {
    const { root, failure } = openEffects({ ".git/config": "", "a.txt": "x" });
    const calls: readonly [string, JsonObject][] = [
      ["fs_write", { path: ".git/hooks/x", content: "" }],
      ["fs_mkdir", { path: ".vscode" }],
      ["fs_edit", { path: ".git/config", lines: { start: 1, end: 0, insert: "x" } }],
      ["fs_remove", { path: ".git/config" }],
      ["fs_remove", { path: ".git", recursive: true }],
      ["fs_copy", { from: "a.txt", to: ".npmrc" }],
      ["fs_move", { from: "a.txt", to: ".npmrc" }],
      ["fs_move", { from: ".git/config", to: "b" }],
    ];
    const call = effectsUnder("supervised", { root, protectedWrites: "ask" });
    for (const [name, args] of calls) {
      expect(await failure(name, args)).toContain("is protected");
      const kinds = asked(await call(name, args)).map(({ kind }) => kind);
      expect([name, kinds]).toEqual([name, expect.arrayContaining(["custom.protected_file"])]);
    }
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("x");
  });
});

test("a read-only workspace has only the tools that read", () => {
  const { root } = openEffects();
  const listNames = (options: object): readonly string[] => {
    const source = workspaceEffects({ root, ...options });
    const names = source.tools().map(({ spec }) => spec.name);
    void source.close?.();
    return names;
  };
  const reading = ["fs_diff", "fs_find", "fs_glob", "fs_list", "fs_read", "fs_stat"];
  const writing = ["fs_copy", "fs_edit", "fs_mkdir", "fs_move", "fs_remove", "fs_write"];
  expect(listNames({ readOnly: true })).toEqual(reading);
  expect(listNames({ bash: false })).toEqual([...reading, ...writing]);
  expect(listNames({})).toEqual(["exec_run", ...reading, ...writing]);
});

test("annotations mark the tools that read, and the one that removes", () => {
  const { root } = openEffects();
  const source = workspaceEffects({ root });
  expect(source.trustAnnotations).toBe(true);
  for (const { spec } of source.tools()) {
    const { readOnlyHint = false, destructiveHint = false } = spec.annotations;
    const reads = ["diff", "find", "glob", "list", "read", "stat"].includes(spec.name.slice(3));
    expect([spec.name, readOnlyHint]).toEqual([spec.name, reads]);
    expect([spec.name, destructiveHint]).toEqual([spec.name, spec.name === "fs_remove"]);
  }
  void source.close?.();
});

test("options are checked under the name of the function", () => {
  const { root } = openEffects();
  expect(() => workspaceEffects({} as never)).toThrow("workspaceEffects: root is missing");
  expect(() => workspaceEffects({ root, env: { LD_PRELOAD: "x" } })).toThrow(
    "workspaceEffects: env.LD_PRELOAD",
  );
});
