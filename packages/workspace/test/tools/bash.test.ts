import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { describe, expect, test, vi } from "vitest";
import { workspaceTools } from "../../src/index.ts";
import { openWorkspace, textOf } from "../support/open-workspace.ts";
import { hasSandbox } from "../support/sandbox-level.ts";

const levels = hasSandbox ? (["none", "required"] as const) : (["none"] as const);

/** The processes that have an argument. */
function processesWith(argument: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(argument);
    } catch {
      // It has ended.
      return false;
    }
  });
}

describe.each(levels)("bash with the sandbox %s", (sandbox) => {
  const open = (files: Readonly<Record<string, string>> = {}) => openWorkspace(files, { sandbox });

  test("returns both outputs in the order in which they were written", async () => {
    const { text } = open({ "a.txt": "" });
    expect(await text("bash", { command: "ls; echo error >&2; echo output" })).toBe(
      "a.txt\nerror\noutput",
    );
    expect(await text("bash", { command: "true" })).toBe("[no output]");
  });

  test("returns the exit code, and 1 of a search as an answer", async () => {
    const { call } = open({ "a.txt": "x" });
    const failed = await call("bash", { command: "echo text; exit 3" });
    expect([failed.ok, textOf(failed)]).toEqual([false, "text\n[exit 3]"]);
    const answered = await call("bash", { command: "grep y a.txt" });
    expect([answered.ok, textOf(answered)]).toEqual([true, "[exit 1 (no match)]"]);
  });

  test("runs in the folder that is asked for, and has no input", async () => {
    const { text, root } = open({ "src/a": "" });
    expect(await text("bash", { command: "pwd", cwd: "src" })).toBe(join(root, "src"));
    expect(await text("bash", { command: "cat" })).toBe("[no output]");
  });

  test.each([
    "sleep N & echo hi",
    "setsid sleep N & echo hi",
    "nohup sleep N >/dev/null 2>&1 & echo hi",
    "(sleep N &) ; echo hi",
  ])("does not wait for a process in the background, and leaves none: %s", async (command) => {
    const { text } = open();
    // A duration by which the process is found.
    const seconds = `9${process.pid}${Date.now() % 1_000}`;
    expect(await text("bash", { command: command.replace("N", seconds) })).toMatch(/^hi/);
    await vi.waitFor(() => expect(processesWith(seconds)).toEqual([]));
  });

  test("kills a command that takes too long, also if it ignores the signal", async () => {
    const { call } = open();
    const outcome = await call("bash", {
      command: "echo begin; trap '' TERM; sleep 300; sleep 300",
      timeout_ms: 300,
    });
    expect(textOf(outcome)).toBe("begin\n[timed out after 0.3 s and was killed]");
    expect(outcome.result?.value).toMatchObject({ timedOut: true });
  });

  test("stores a long output as an artifact, and returns its beginning and end", async () => {
    const { call } = open();
    const outcome = await call("bash", { command: "seq 1 100000" });
    const text = textOf(outcome);
    expect(text.startsWith("1\n2\n3\n")).toBe(true);
    expect(text).toMatch(/\n\[… \d+ bytes omitted; the whole output is the artifact art_\w+ …\]\n/);
    expect(text.endsWith("\n99999\n100000")).toBe(true);
    expect(text.length).toBeLessThan(31_000);
    expect(outcome.result?.artifacts[0]?.size).toBe(588_895);
  });

  test("SH23: removes control sequences of terminals, and keeps the last content of an overwritten line", async () => {
    const { text } = open();
    expect(
      await text("bash", {
        command: String.raw`printf '10%%\r100%%\n\033]52;c;eA==\007\033[31mred\033[0m \xff\n'`,
      }),
    ).toBe("100%\nred \\xff");
  });

  test("SH21: gives commands none of this process's variables but harmless ones", async () => {
    process.env["SECRET_OF_HOST"] = "canary-of-host";
    const { text } = open();
    const environment = await text("bash", { command: "env" });
    delete process.env["SECRET_OF_HOST"];
    expect(environment).not.toContain("canary-of-host");
    expect(environment).toContain("NO_COLOR=1");
    expect(environment).toContain("GIT_TERMINAL_PROMPT=0");
  });

  test("runs whatever the id of the call is", async () => {
    const { root } = open();
    const registry = new ToolRegistry([workspaceTools({ root, sandbox })]);
    const call = { id: "a\0b=\n$(id)", name: "bash", arguments: { command: "echo hi" } };
    const outcome = await new ToolExecutor({ registry, policy: "autonomous" }).execute(call);
    await registry.close();
    expect(textOf(outcome)).toBe("hi");
  });

  test("PT15: writes no protected file that the script names", async () => {
    const { failure, root } = open();
    expect(await failure("bash", { command: "echo x > .git/hooks/pre-commit" })).toContain(
      "is protected",
    );
    expect(existsSync(join(root, ".git"))).toBe(false);
  });
});

describe.runIf(hasSandbox)("in a sandbox", () => {
  test("a script sees no secrets and changes no protected file, however it names them", async () => {
    const { text, read } = openWorkspace(
      {
        ".env": "KEY=secret",
        "app/.env": "KEY=secret",
        ".git/config": "[core]",
        ".ssh/id_rsa": "key",
      },
      { sandbox: "required" },
    );
    expect(
      await text("bash", {
        command: "cat .e?v app/.e*; ls .ss*; f=.git/config; echo x >> $f || true",
      }),
    ).not.toContain("secret");
    expect(read(".git/config").toString()).toBe("[core]");
  });

  test("SH22, SH24: a script reaches no network, and nothing outside of the workspace", async () => {
    const { text, root } = openWorkspace({}, { sandbox: "required" });
    const outside = join(root, "..", "canary");
    const output = await text("bash", {
      command: `touch ${outside}; cat /etc/shadow || echo no-read; exec 3<>/dev/tcp/127.0.0.1/9 || true`,
    });
    expect(output).toContain("no-read");
    expect(existsSync(outside)).toBe(false);
  });

  test("the files of a command belong to the workspace", async () => {
    const { text, root } = openWorkspace({}, { sandbox: "required" });
    await text("bash", { command: "mkdir -p a/b && echo hi > a/b/c" });
    expect(readFileSync(join(root, "a/b/c"), "utf8")).toBe("hi\n");
  });
});

test("variables that make programs run other code cannot be given to commands", () => {
  expect(() => openWorkspace({}, { env: { LD_PRELOAD: "x.so" } })).toThrow(
    "env.LD_PRELOAD makes programs run other code",
  );
});
