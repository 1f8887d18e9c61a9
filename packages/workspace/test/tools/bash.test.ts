import { chownSync, existsSync, readFileSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { describe, expect, test, vi } from "vitest";
import { workspaceTools } from "../../src/index.ts";
import { openWorkspace, readText } from "../support/open-workspace.ts";
import { processesWith } from "../support/processes.ts";
import { hasLandlock, hasSandbox } from "../support/sandbox-level.ts";

const levels = hasSandbox ? (["none", "required"] as const) : (["none"] as const);

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
    expect([failed.ok, readText(failed)]).toEqual([false, "text\n[exit 3]"]);
    const answered = await call("bash", { command: "grep y a.txt" });
    expect([answered.ok, readText(answered)]).toEqual([true, "[exit 1 (no match)]"]);
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
    await vi.waitFor(() => expect(processesWith(seconds)).toEqual([]), 60_000);
  });

  test("kills a command that takes too long, also if it ignores the signal", async () => {
    const { call } = open();
    const outcome = await call("bash", {
      command: "echo begin; trap '' TERM; sleep 300; sleep 300",
      timeout_ms: 300,
    });
    expect(readText(outcome)).toBe("begin\n[timed out after 0.3 s and was killed]");
    expect(outcome.result?.value).toMatchObject({ timedOut: true });
  });

  test("stores a long output as an artifact, and returns its beginning and end", async () => {
    const { call } = open();
    const outcome = await call("bash", { command: "seq 1 100000" });
    const text = readText(outcome);
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
    expect(readText(outcome)).toBe("hi");
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

  test("a script cannot put another folder in the place of one with protected files", async () => {
    const { call, read } = openWorkspace(
      { ".git/hooks/pre-commit": "kept", "app/.vscode/tasks.json": "kept" },
      { sandbox: "required" },
    );
    const command =
      "for d in .g?t ap?; do mv $d moved && mkdir -p $d/hooks && echo evil > $d/hooks/pre-commit; done; true";
    await call("bash", { command });
    expect(read(".git/hooks/pre-commit").toString()).toBe("kept");
    expect(read("app/.vscode/tasks.json").toString()).toBe("kept");
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

  test("no file appears in the workspace while a command runs that writes none", async () => {
    const { text, root } = openWorkspace({ "src/a": "" }, { sandbox: "bwrap" });
    const events: string[] = [];
    const watcher = watch(root, (event, name) => events.push(`${event} ${name}`));
    for (let count = 0; count < 10; count++) await text("bash", { command: "cat src/a" });
    // The watcher works: it reports this one.
    await text("bash", { command: "touch b" });
    await vi.waitFor(() => expect(events).toContain("rename b"), 60_000);
    watcher.close();
    expect(events.filter((event) => !event.endsWith(" b"))).toEqual([]);
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

describe.runIf(hasSandbox)("protected files that do not exist", () => {
  test("are renamed when a script in a sandbox creates them, and the result says so", async () => {
    const { text, root } = openWorkspace({ "src/a": "" }, { sandbox: "bwrap" });
    const output = await text("bash", {
      command:
        "d=.vs; mkdir ${d}code src/.git && echo evil > ${d}code/tasks.json; f=config; echo x > src/.git/$f",
    });
    expect(output).toMatch(
      /\[\.vscode is protected, and was renamed to \.vscode\.refused-\w+; src\/\.git\/config is protected, and was renamed to config\.refused-\w+\]/,
    );
    expect(existsSync(join(root, ".vscode"))).toBe(false);
    const [kept = ""] = readdirSync(root).filter((name) => name.startsWith(".vscode.refused-"));
    expect(readFileSync(join(root, kept, "tasks.json"), "utf8")).toBe("evil\n");
  });

  test("may be created where the host lets them be written", async () => {
    const { text, root } = openWorkspace({}, { sandbox: "bwrap", protectedWrites: "ask" });
    expect(await text("bash", { command: "d=.vs; mkdir ${d}code" })).toBe("[no output]");
    expect(existsSync(join(root, ".vscode"))).toBe(true);
  });
});

test("a program of the workspace is never found by its name alone", async () => {
  const { root } = openWorkspace({ "bin/ls": "#!/bin/sh\necho hijacked\n" });
  const registry = new ToolRegistry([
    workspaceTools({ root, sandbox: "none", env: { PATH: `${root}/bin:.:/usr/bin:/bin` } }),
  ]);
  const outcome = await new ToolExecutor({ registry, policy: "autonomous" }).execute({
    id: "1",
    name: "bash",
    arguments: { command: "chmod +x bin/ls; ls; echo $PATH" },
  });
  await registry.close();
  expect(readText(outcome)).toBe("bin\n/usr/bin:/bin");
});

test("a host can bring a sandbox of its own", async () => {
  const { text, call } = openWorkspace(
    {},
    {
      sandbox: {
        level: "container",
        isIsolated: true,
        hidesNetwork: true,
        guardsProtectedFiles: false,
        prepare: ({ argv, cwd, env }) => ({
          argv: ["env", "INSIDE=container", ...argv],
          cwd,
          env,
          descriptors: [],
          close: () => {},
        }),
      },
    },
  );
  expect(await text("bash", { command: "echo $INSIDE" })).toBe("container");
  const { result } = await call("bash", { command: "true" });
  expect(result?.value).toMatchObject({ sandbox: "container" });
});

test("a time that is too long for the foreground is refused, and nothing runs", async () => {
  const { failure, root } = openWorkspace({}, { sandbox: "none" });
  expect(await failure("bash", { command: "touch a", timeout_ms: 600_001 })).toBe(
    "invalid_arguments: timeout_ms is 600001, and at most 600000 without background: true.",
  );
  expect(existsSync(join(root, "a"))).toBe(false);
});

describe.runIf(process.getuid?.() === 0)("a workspace of another user", () => {
  test.each([...(hasSandbox ? ["bwrap"] : []), ...(hasLandlock ? ["landlock"] : [])] as const)(
    "cannot be written by commands of root in %s, and the result says why",
    async (sandbox) => {
      const { call, root } = openWorkspace({}, { sandbox: sandbox as "bwrap" | "landlock" });
      chownSync(root, 65_534, 65_534);
      const failed = readText(await call("bash", { command: "touch a" }));
      expect(failed).toContain(
        "commands cannot write in the workspace, which belongs to the user 65534: the sandbox takes the privileges of root away. Run the host as that user",
      );
      expect(readText(await call("bash", { command: "ls" }))).not.toContain("belongs to");
    },
  );
});
