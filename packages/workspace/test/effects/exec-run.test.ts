import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { describe, expect, test, vi } from "vitest";
import { workspaceEffects } from "../../src/effects.ts";
import { openEffects } from "../support/open-effects.ts";
import { processesWith } from "../support/processes.ts";
import { hasLandlock, hasSandbox } from "../support/sandbox-level.ts";

const levels = [
  "none" as const,
  ...(hasLandlock ? (["landlock"] as const) : []),
  ...(hasSandbox ? (["bwrap"] as const) : []),
];
const megabyte = 1024 * 1024;

describe.each(levels)("exec_run with the sandbox %s", (sandbox) => {
  const open = (files: Readonly<Record<string, string>> = {}) => openEffects(files, { sandbox });

  test("returns both outputs by themselves, and the exit code as a normal result", async () => {
    const { call } = open();
    const args = ["-c", "echo out; echo error >&2; exit 3"];
    const outcome = await call("exec_run", { cmd: "sh", args });
    expect(outcome.ok).toBe(true);
    expect(outcome.result?.value).toEqual({
      ok: false,
      stdout: "out\n",
      stderr: "error\n",
      exit_code: 3,
      timed_out: false,
      duration_ms: expect.any(Number),
      cmd: "sh",
      args,
    });
  });

  test("passes words on as they are, without a shell", async () => {
    const { value, root } = open({ "a.txt": "" });
    const args = [
      "",
      "*",
      "$(touch x)",
      "`touch x`",
      "; touch x",
      "a\nb\r\t",
      "'\"\\",
      "$HOME",
      "~",
      "&& touch x",
      "-n",
      "--",
      "é😀\u00a0",
    ];
    const format = args.map(() => "[%s]").join("");
    const { stdout } = await value("exec_run", { cmd: "printf", args: [format, ...args] });
    expect(stdout).toBe(args.map((arg) => `[${arg}]`).join(""));
    expect(existsSync(join(root, "x"))).toBe(false);
  });

  test("has the input, the folder and the variables that are asked for", async () => {
    const { value, root } = open({ "src/a": "" });
    expect(await value("exec_run", { cmd: "cat", stdin: "one\ntwo" })).toMatchObject({
      ok: true,
      stdout: "one\ntwo",
    });
    expect(await value("exec_run", { cmd: "cat" })).toMatchObject({ ok: true, stdout: "" });
    expect(await value("exec_run", { cmd: "pwd", dir: "src" })).toMatchObject({
      stdout: `${join(root, "src")}\n`,
    });
    const env = { NAME: "a b;$x" };
    expect(await value("exec_run", { cmd: "printenv", args: ["NAME"], env })).toMatchObject({
      stdout: "a b;$x\n",
    });
  });

  test("ends a program that takes too long, and all that it has started", async () => {
    const { value } = open();
    // A duration by which the process is found.
    const seconds = `8${process.pid}${Date.now() % 1_000}`;
    const args = ["-c", `echo begin; setsid sleep ${seconds} & sleep ${seconds}`];
    const ended = await value("exec_run", { cmd: "sh", args, timeout_ms: 500 });
    expect(ended).toMatchObject({ ok: false, timed_out: true, exit_code: -1 });
    await vi.waitFor(() => expect(processesWith(seconds)).toEqual([]), 60_000);
  });
});

test.each(["no-such-program", "cd", "eval", "if", "A=b", "{", "!", "time"])(
  "exec_run: %s is no program, and the exit code is 127",
  async (cmd) => {
    const { value } = openEffects();
    expect(await value("exec_run", { cmd, args: ["x"] })).toMatchObject({
      ok: false,
      exit_code: 127,
      stdout: "",
      timed_out: false,
    });
  },
);

test("exec_run: a file that is not executable has the exit code 126", async () => {
  const { value, root } = openEffects({ "run.sh": "#!/bin/sh\necho hi\n" });
  expect(await value("exec_run", { cmd: "./run.sh" })).toMatchObject({ ok: false, exit_code: 126 });
  chmodSync(join(root, "run.sh"), 0o755);
  expect(await value("exec_run", { cmd: "./run.sh" })).toMatchObject({ ok: true, stdout: "hi\n" });
});

test("exec_run: a program that a signal ended has the exit code of shells", async () => {
  const { value } = openEffects();
  const args = ["-c", "kill -KILL $$"];
  expect(await value("exec_run", { cmd: "sh", args })).toMatchObject({ ok: false, exit_code: 137 });
});

test("exec_run: each output is cut at 4 MiB, between two characters, and says so", async () => {
  const { value } = openEffects();
  const script = `yes é | tr -d '\\n' | head -c ${5 * megabyte}; echo x | head -c 1; head -c ${4 * megabyte} /dev/zero >&2`;
  // The first character begins at an odd byte.
  const args = ["-c", `printf a; ${script}`];
  const result = await value("exec_run", { cmd: "sh", args });
  expect(result).toMatchObject({ ok: true, stdout_truncated: true });
  expect(result["stdout"]).toBe(`a${"é".repeat(2 * megabyte - 1)}`);
  expect(result["stderr"]).toHaveLength(4 * megabyte);
  expect(result).not.toHaveProperty("stderr_truncated");
});

test("exec_run: a program need not read its input", async () => {
  const { value } = openEffects();
  const stdin = "x".repeat(megabyte);
  expect(await value("exec_run", { cmd: "true", stdin })).toMatchObject({ ok: true });
});

test.each([
  [{ cmd: "ls", env: { LD_PRELOAD: "x.so" } }, "env.LD_PRELOAD makes programs run other code"],
  [{ cmd: "ls", env: { SHELLOPTS: "xtrace" } }, "env.SHELLOPTS makes programs run other code"],
  [{ cmd: "ls", env: { "A=B": "" } }, 'env has the name "A=B"'],
  [{ cmd: "ls", args: ["a\0b"] }, "a word has a NUL"],
  [{ cmd: "ls", args: ["x".repeat(100_000)] }, "Pass long texts in stdin"],
  [{ cmd: "ls", timeout_ms: 600_001 }, "timeout_ms"],
  [{ cmd: "ls", dir: ".." }, "is outside of the workspace"],
  [{ cmd: "ls", dir: "none" }, "is no folder"],
])("exec_run refuses %j", async (args, message) => {
  const { failure } = openEffects();
  expect(await failure("exec_run", args)).toContain(message);
});

test("commands end when the source is closed, which then has no tools", async () => {
  const { root } = openEffects();
  const source = workspaceEffects({ root, sandbox: "none" });
  const registry = new ToolRegistry([source]);
  const run = new ToolExecutor({ registry, policy: "autonomous" }).startRun();
  const seconds = `6${process.pid}${Date.now() % 1_000}`;
  const args = { cmd: "sleep", args: [seconds] };
  const running = run.execute({ id: "1", name: "exec_run", arguments: args });
  await vi.waitFor(() => expect(processesWith(seconds).length).toBeGreaterThan(0), 60_000);
  await registry.close();
  expect((await running).ok).toBe(false);
  await vi.waitFor(() => expect(processesWith(seconds)).toEqual([]), 60_000);
  expect(source.tools()).toEqual([]);
});
