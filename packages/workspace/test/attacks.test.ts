import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry, type PolicyInput, type ToolOutcome } from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { workspacePolicy, workspaceTools, type SandboxChoice } from "../src/index.ts";
import { hasLandlock, hasSandbox } from "./support/sandbox-level.ts";
import { openWorkspace } from "./support/open-workspace.ts";

/** A host that no command may reach. */
let listener: Server;
let port: number;
let connections = 0;
beforeAll(async () => {
  listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  ({ port } = listener.address() as AddressInfo);
});
afterAll(() => listener.close());

interface Attacked {
  readonly root: string;
  /** A file outside of the workspace, which has to stay as it is. */
  readonly canary: string;
  run(command: string): Promise<ToolOutcome>;
}

function attack(policy: PolicyInput, sandbox: SandboxChoice): Attacked {
  const base = tempFolder();
  const root = join(base, "ws");
  mkdirSync(root);
  const canary = join(base, "canary");
  writeFileSync(canary, "unchanged");
  const registry = new ToolRegistry([workspaceTools({ root, sandbox })]);
  onTestFinished(() => registry.close());
  const executor = new ToolExecutor({ registry, policy, onAsk: "deny" });
  let calls = 0;
  return {
    root,
    canary,
    run: (command) => {
      calls += 1;
      const args = { command: command.replaceAll("OUT", canary).replaceAll("PORT", `${port}`) };
      return executor.execute({ id: `${calls}`, name: "bash", arguments: args });
    },
  };
}

/** The sandboxes that hold on this machine. */
const levels = [...(hasSandbox ? ["bwrap"] : []), ...(hasLandlock ? ["landlock"] : [])] as (
  | "bwrap"
  | "landlock"
)[];

/** Attacks of a script, by the case that they belong to. OUT is a file outside, PORT that of a host. */
const attacks: readonly (readonly [name: string, commands: readonly string[]])[] = [
  [
    "SH02 a line feed or a carriage return separates commands",
    ["ls\nrm -rf OUT", "ls\rrm OUT", "ls;rm OUT", "ls|rm OUT", "ls&rm OUT", "ls |& rm OUT"],
  ],
  [
    "SH03 a command substitution",
    ["echo $(rm OUT)", "echo `rm OUT`", 'echo "$(rm OUT)"', "X=$(rm OUT) ls"],
  ],
  [
    "SH04 a process substitution or a here-document",
    ["cat <(rm OUT)", "cat <<EOF\n$(rm OUT)\nEOF", "cat <<-EOF\n\t`rm OUT`\n\tEOF"],
  ],
  [
    "SH05 an expansion of variables",
    [
      "cmd=rm; $cmd OUT",
      "rm${IFS}-rf${IFS}OUT",
      "a=r;b=m;$a$b OUT",
      "${0:+rm} OUT",
      "$'\\x72m' OUT",
      "{rm,OUT}",
      'r""m OUT',
    ],
  ],
  [
    "SH07 an environment before a command",
    ["PATH=/tmp ls; rm OUT", "LD_PRELOAD=x ls; rm OUT", "BASH_ENV=x bash -c 'rm OUT'"],
  ],
  [
    "SH08 a redirection",
    [
      "echo x > OUT",
      "echo x >> OUT",
      "ls &> OUT",
      "ls >| OUT",
      "echo x > /dev/null/../../OUT",
      ": <> OUT",
    ],
  ],
  [
    "SH09 a wrapper",
    [
      "env rm OUT",
      "echo OUT | xargs rm",
      "nohup rm OUT",
      "timeout 5 rm OUT",
      "nice rm OUT",
      "command rm OUT",
      "exec rm OUT",
      "stdbuf -o0 rm OUT",
      "setsid rm OUT",
      "time rm OUT",
      "builtin eval 'rm OUT'",
      "busybox rm OUT",
      "find . -exec rm OUT ';'",
    ],
  ],
  [
    "SH10 an interpreter",
    [
      "bash -c 'rm OUT'",
      "sh <<< 'rm OUT'",
      "eval 'rm OUT'",
      "python3 -c 'import os; os.remove(\"OUT\")'",
      "perl -e 'unlink \"OUT\"'",
      "awk 'BEGIN { system(\"rm OUT\") }'",
      "echo 'rm OUT' > s; source ./s",
      "echo 'rm OUT' > s; . ./s",
    ],
  ],
  ["SH14 more commands than are analysed", [`${"true;".repeat(60)} rm OUT`]],
  [
    "SH16 a script that cannot be parsed",
    ["rm OUT; echo 'unterminated", "rm OUT; )", `rm OUT; ${"$(".repeat(500)}`],
  ],
  [
    "SH22 a connection",
    [
      "exec 3<>/dev/tcp/127.0.0.1/PORT",
      "bash -c 'echo x > /dev/tcp/127.0.0.1/PORT'",
      "curl -s http://127.0.0.1:PORT/",
      "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", PORT))'",
    ],
  ],
  [
    "a program that seems to read, and writes or evaluates",
    [
      "echo x | uniq - OUT",
      "echo x | sort -o OUT",
      "echo x | sed -n '1w OUT'",
      "find . -fprint OUT",
      "printf -v 'a[$(rm OUT)]' x",
      "test -v 'a[$(rm OUT)]'",
      "[[ 'a[$(rm OUT)]' -eq 1 ]]",
      "tee OUT < /dev/null",
      "dd if=/dev/null of=OUT",
      "truncate -s 0 OUT",
      "cp /dev/null OUT",
      "ln -sf x OUT",
    ],
  ],
];

describe.each(attacks)("%s", (_, commands) => {
  test.each(commands)("is not run without approval: %s", async (command) => {
    const before = connections;
    const { run, canary } = attack(workspacePolicy(), "none");
    const { error } = await run(command);
    expect(error?.code).toBe("permission_denied");
    expect(readFileSync(canary, "utf8")).toBe("unchanged");
    expect(connections).toBe(before);
  });

  test.each(commands.flatMap((command) => levels.map((level) => [level, command] as const)))(
    "has no effect outside of the sandbox %s: %s",
    async (level, command) => {
      const before = connections;
      const { run, canary } = attack("autonomous", level);
      await run(command);
      expect(readFileSync(canary, "utf8")).toBe("unchanged");
      expect(connections).toBe(before);
    },
  );
});

describe("SH12 git in a repository that is not trusted", () => {
  /** A repository whose configuration runs a program. */
  function repository(root: string, canary: string): void {
    const git = (...args: readonly string[]): void => void execFileSync("git", args, { cwd: root });
    git("init", "--quiet");
    writeFileSync(join(root, "monitor.sh"), `#!/bin/sh\nrm -f ${canary}\n`, { mode: 0o755 });
    git("config", "core.fsmonitor", "./monitor.sh");
  }

  test("asks, since the repository configures what it runs", async () => {
    const { run, root, canary } = attack(workspacePolicy(), "none");
    repository(root, canary);
    expect((await run("git status")).error?.code).toBe("permission_denied");
    expect(existsSync(canary)).toBe(true);
  });

  test.runIf(hasSandbox)("has no effect outside of a sandbox", async () => {
    const { run, root, canary } = attack(workspacePolicy({ allowSandboxed: true }), "required");
    repository(root, canary);
    await run("git status");
    expect(existsSync(canary)).toBe(true);
  });
});

test("SH13 a program of the workspace with the name of an allowed one asks", async () => {
  const policy: PolicyInput = [
    workspacePolicy(),
    { rules: [{ effect: "ask", permissions: { kind: "process", target: "./*" } }] },
  ];
  const { run, root, canary } = attack(policy, "none");
  writeFileSync(join(root, "ls"), `#!/bin/sh\nrm ${canary}\n`, { mode: 0o755 });
  expect((await run("./ls")).error?.code).toBe("permission_denied");
  expect((await run(`${root}/ls`)).error?.code).toBe("permission_denied");
  expect(readFileSync(canary, "utf8")).toBe("unchanged");
});

test("SH17 a file name or a pattern that looks like an option is a file name or a pattern", async () => {
  const { text } = openWorkspace({ "-rf": "one --pre=sh\n", "--output=x": "two\n" });
  expect(await text("read_file", { path: "-rf" })).toContain("one");
  expect(await text("read_file", { path: "--output=x" })).toContain("two");
  expect(await text("search", { pattern: "--pre=sh" })).toContain("-rf:1:one --pre=sh");
  expect(await text("list_files", { glob: "-*" })).toContain("-rf");
});

test("PT01 a path that leads out of the workspace is denied in every tool, and the error names no file outside", async () => {
  const { failure, root } = openWorkspace({ "a/b": "" });
  writeFileSync(join(root, "../secret-name"), "secret");
  symlinkSync("../secret-name", join(root, "link"));
  const paths = ["../secret-name", "a/../../secret-name", "link"];
  const calls: readonly (readonly [string, (path: string) => object])[] = [
    ["read_file", (path) => ({ path })],
    ["write_file", (path) => ({ path, content: "x" })],
    ["edit_file", (path) => ({ path, edits: [{ old: "secret", new: "x" }] })],
    ["list_files", (path) => ({ path })],
    ["search", (path) => ({ path, pattern: "s" })],
    ["bash", (path) => ({ command: "ls", cwd: path })],
  ];
  for (const path of paths) {
    for (const [name, argumentsFor] of calls) {
      const text = await failure(name, argumentsFor(path) as never);
      expect([name, path, text]).toEqual([
        name,
        path,
        expect.stringContaining(`permission_denied: "${path}" is outside of the workspace`),
      ]);
    }
  }
});

test("PT02 an absolute path is denied, unless it is inside of a root", async () => {
  const { failure, text, root } = openWorkspace({ "a.txt": "inside" });
  expect(await failure("read_file", { path: "/etc/passwd" })).toContain(
    "is outside of the workspace",
  );
  expect(await text("read_file", { path: join(root, "a.txt") })).toContain("inside");
});

test("PT19 a file of 10 GB is read and searched in a bounded part", async () => {
  const { text, root } = openWorkspace({ "huge.log": "first line\n".repeat(10_000) });
  truncateSync(join(root, "huge.log"), 10 * 1024 ** 3);
  const before = process.memoryUsage().rss;
  expect(await text("read_file", { path: "huge.log", limit: 1 })).toContain("first line");
  expect(await text("search", { pattern: "first" })).toContain("1 too large");
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
});

test("PT20 the key of an artifact is no path", async () => {
  const { call, failure } = openWorkspace();
  // There is a reader of artifacts once there is an artifact.
  await call("bash", { command: "seq 1 100000" });
  for (const key of ["../../etc/passwd", "a/../../b", "art_../../x"]) {
    expect(await failure("read_artifact", { key })).toMatch(/artifact_missing|invalid_arguments/);
  }
});

describe("PT17 an archive with members that lead outside", () => {
  /** An archive whose members are named by a path with `..`, by an absolute path, and through a link. */
  function writeArchive(root: string, canary: string): void {
    const make = join(root, "../make");
    mkdirSync(make);
    writeFileSync(join(make, "canary"), "overwritten");
    symlinkSync("..", join(make, "link"));
    const tar = (...args: readonly string[]): void =>
      void execFileSync("tar", ["-P", ...args], { cwd: make });
    tar("-cf", join(root, "a.tar"), "--transform", "s,^canary,../canary,", "canary");
    tar("-rf", join(root, "a.tar"), "--transform", `s,^canary,${canary},`, "canary");
    tar("-rf", join(root, "a.tar"), "link");
    tar("-rf", join(root, "a.tar"), "--transform", "s,^canary,link/canary,", "canary");
  }

  test("is not extracted without approval", async () => {
    const { run, root, canary } = attack(workspacePolicy(), "none");
    writeArchive(root, canary);
    expect((await run("tar -xPf a.tar")).error?.code).toBe("permission_denied");
    expect(readFileSync(canary, "utf8")).toBe("unchanged");
  });

  test("overwrites files outside without a sandbox, so that the attack works", async () => {
    const { run, root, canary } = attack("autonomous", "none");
    writeArchive(root, canary);
    await run("tar -xPf a.tar");
    expect(readFileSync(canary, "utf8")).toBe("overwritten");
  });

  test.each(levels)("has no effect outside of the sandbox %s", async (level) => {
    const { run, root, canary } = attack("autonomous", level);
    writeArchive(root, canary);
    await run("tar -xPf a.tar");
    expect(readFileSync(canary, "utf8")).toBe("unchanged");
  });
});

test("a model cannot approve its own command", async () => {
  const { root } = openWorkspace();
  const registry = new ToolRegistry([workspaceTools({ root, sandbox: "none" })]);
  onTestFinished(() => registry.close());
  const executor = new ToolExecutor({ registry, policy: workspacePolicy(), onAsk: "deny" });
  const command = `touch ${join(root, "a")}`;
  const outcome = await executor.execute({
    id: "1",
    name: "bash",
    arguments: { command, approved: true },
  });
  expect(outcome.ok).toBe(false);
  expect(existsSync(join(root, "a"))).toBe(false);
});
