import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry, type PolicyInput } from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { workspacePolicy, workspaceTools, type CommandRule } from "../../src/index.ts";

const denied: CommandRule = { command: ["rm", "..."], effect: "deny" };
const rule = { effect: "deny", permissions: { kind: "process", target: "rm *" } } as const;

/** Policies that would run the command, but for the rule. */
const policies: Readonly<Record<string, PolicyInput>> = {
  "a rule beside autonomous": { preset: "autonomous", rules: [rule] },
  "a rule beside a default": { default: "allow", rules: [rule] },
  "a rule behind maxRisk": [workspacePolicy({ maxRisk: "high" }), { rules: [rule] }],
  "a rule behind allowSandboxed": [
    "autonomous",
    workspacePolicy({ allowSandboxed: true }),
    { rules: [rule] },
  ],
  "a command rule with maxRisk": [
    "autonomous",
    workspacePolicy({ maxRisk: "high", rules: [denied] }),
  ],
  "a command rule with allowSandboxed": [
    "autonomous",
    workspacePolicy({ allowSandboxed: true, rules: [denied] }),
  ],
};

function openExecutor(policy: PolicyInput): { executor: ToolExecutor; root: string } {
  const root = tempFolder();
  writeFileSync(join(root, "x"), "");
  symlinkSync("/bin/rm", join(root, "del"));
  mkdirSync(join(root, "d"));
  symlinkSync("../del", join(root, "d/again"));
  const registry = new ToolRegistry([workspaceTools({ root, sandbox: "none" })]);
  onTestFinished(() => registry.close());
  return { executor: new ToolExecutor({ registry, policy }), root };
}

const spellings: readonly string[] = [
  "rm x",
  "/bin/rm x",
  "/usr/bin/rm x",
  "/usr/bin/../bin/rm x",
  "./rm x",
  "r\\m x",
  "'r'm x",
  '"rm" x',
  "$'\\x72m' x",
  'r""m x',
  "env rm x",
  "env X=1 rm x",
  "env -i rm x",
  "env -u A rm x",
  "env -S 'rm x'",
  "X=1 rm x",
  "find . -name x -exec rm {} +",
  "find . -name x -exec rm {} ';'",
  "find . -name x -execdir rm {} +",
  "find . -name x -ok rm {} ';'",
  "find . -name x -exec sh -c 'rm x' ';'",
  "find . -name x -delete",
  "echo x | xargs rm",
  "echo x | xargs -n1 rm",
  "echo x | xargs -I{} rm {}",
  "echo x | xargs timeout 5 rm",
  "bash -c 'rm x'",
  "bash -lc 'rm x'",
  "bash -ce 'rm x'",
  "bash -c -- 'rm x'",
  "bash --norc -c 'rm x'",
  "bash -o errexit -c 'rm x'",
  "sh -c 'sh -c \"rm x\"'",
  "dash -c 'rm x'",
  "bash <<< 'rm x'",
  "bash << 'E'\nrm x\nE",
  "echo 'rm x' | sh",
  "eval 'rm x'",
  "eval rm x",
  "exec rm x",
  "command rm x",
  "command -p rm x",
  "busybox rm x",
  "busybox sh -c 'rm x'",
  "trap 'rm x' EXIT",
  "alias r=rm\nr x",
  "flock f rm x",
  "flock f -c 'rm x'",
  "for f in x; do rm $f; done",
  "for f in x; do rm x; done",
  "a=rm; $a x",
  "if true; then rm x; fi",
  "f() { rm x; }; f",
  "case a in a) rm x;; esac",
  "{ rm x; }",
  "(rm x)",
  "! rm x",
  "rm x &",
  "echo $(rm x)",
  "echo `rm x`",
  "cat <(rm x)",
  "[[ $(rm x) ]]",
  "timeout 9 timeout 9 timeout 9 timeout 9 timeout 9 timeout 9 timeout 9 timeout 9 timeout 9 rm x",
  "nice -n 5 rm x",
  "nice -5 rm x",
  "nohup rm x",
  "setsid rm x",
  "stdbuf -oL rm x",
  "time rm x",
  "sudo rm x",
  "su -c 'rm x'",
  "chroot / rm x",
  "unshare rm x",
  "setpriv rm x",
  "chrt -b 0 rm x",
  "taskset -c 0 rm x",
  "prlimit --nproc=100 rm x",
  "a-program-that-is-not-known rm x",
  "python3 -c 'import os; os.remove(\"x\")'",
  "python3.11 -c 'import os'",
  "perl -e unlink",
  "node -e 'fs.rmSync(\"x\")'",
  "nodejs -p 1",
  "awk 'BEGIN { system(\"rm x\") }'",
  "sed '1e rm x' x",
  "sed s/a/rm/e x",
  "git -c alias.r='!rm x' r",
  "git bisect run rm x",
  "git rebase --exec 'rm x' main",
  "test -v 'a[$(rm x)]'",
  "printf -v 'a[$(rm x)]' 1",
  "vim -c '!rm x'",
  "tar --to-command=rm -xf a.tar",
  "tar --checkpoint-action=exec='rm x' -cf a.tar x",
  "parallel rm ::: x",
  "watch rm x",
  "script -c 'rm x'",
  "ssh localhost rm x",
  "fd x -x rm",
  "./del x",
  "cd d && ./again ../x",
  "timeout 5 d/again x",
  "find . -name x -exec ./del {} +",
  "at now <<< 'rm x'",
  "git grep -O'rm x' a",
  "git fetch --upload-pack='rm x' origin",
  "git an-alias",
];

describe.each(Object.entries(policies))("%s", (_, policy) => {
  test("runs no spelling of a denied program", async () => {
    const { executor } = openExecutor(policy);
    const allowed: string[] = [];
    for (const command of spellings) {
      const { effect } = await executor.explain({ name: "bash", arguments: { command } });
      if (effect === "allow") allowed.push(command);
    }
    expect(allowed).toEqual([]);
    expect(spellings.length).toBeGreaterThanOrEqual(60);
  });

  test("runs usual commands", async () => {
    const { executor } = openExecutor(policy);
    const asking: string[] = [];
    for (const command of [
      "ls -la",
      "grep -rn rm .",
      "echo rm x",
      "cat x",
      "sed -n 1,5p x",
      "awk '{ print $1 }' x",
      "find . -name '*.ts'",
      "git commit -m 'remove a file'",
      "git stash push",
      "git diff --stat",
      "npm test",
      "cargo build --release",
      "python3 x.py --force",
      "mkdir -p a && cp x a",
    ]) {
      const { effect } = await executor.explain({ name: "bash", arguments: { command } });
      if (effect !== "allow") asking.push(command);
    }
    expect(asking).toEqual([]);
  });
});

test("a denied program does not run", async () => {
  const { executor, root } = openExecutor(policies["a rule beside autonomous"] as PolicyInput);
  for (const [index, command] of spellings.entries()) {
    await executor.execute({ id: `${index}`, name: "bash", arguments: { command } });
    expect([command, existsSync(join(root, "x"))]).toEqual([command, true]);
  }
});

test("2,000 combinations of spellings run no denied program", async () => {
  const program = fc.constantFrom("rm", "/bin/rm", "./rm", "r\\m", "'rm'", "$'rm'", '"r"m', "RM");
  const command = fc
    .tuple(program, fc.constantFrom("x", "-f x", "-- x", "-rf ."))
    .map(([name, args]) => `${name} ${args}`);
  const quote = (script: string): string => `'${script.replaceAll("'", String.raw`'\''`)}'`;
  const around = fc.constantFrom<(inner: string) => string>(
    (inner) => `timeout 5 ${inner}`,
    (inner) => `env ${inner}`,
    (inner) => `env A=1 ${inner}`,
    (inner) => `nice ${inner}`,
    (inner) => `exec ${inner}`,
    (inner) => `command ${inner}`,
    (inner) => `busybox ${inner}`,
    (inner) => `an-unknown-program ${inner}`,
    (inner) => `sudo -n ${inner}`,
    (inner) => `xargs ${inner}`,
    (inner) => `find . -exec ${inner} \\;`,
  );
  const within = fc.constantFrom<(inner: string) => string>(
    (inner) => `bash -c ${quote(inner)}`,
    (inner) => `sh -ec ${quote(inner)}`,
    (inner) => `eval ${quote(inner)}`,
    (inner) => `ls && ${inner}`,
    (inner) => `cat x | ${inner}`,
    (inner) => `if true; then ${inner}; fi`,
    (inner) => `( ${inner} )`,
    (inner) => `{ ${inner}; }`,
    (inner) => `echo $( ${inner} )`,
    (inner) => `trap ${quote(inner)} EXIT`,
    (inner) => `while ${inner}; do ls; done`,
  );
  const script = fc
    .tuple(command, fc.array(around, { maxLength: 3 }), fc.array(within, { maxLength: 3 }))
    .map(([inner, words, scripts]) =>
      [...words, ...scripts].reduce((made, wrap) => wrap(made), inner),
    );
  const executors = Object.values(policies).map((policy) => openExecutor(policy).executor);
  let count = 0;
  await fc.assert(
    fc.asyncProperty(script, async (text) => {
      const executor = executors[count++ % executors.length] as ToolExecutor;
      const { effect } = await executor.explain({ name: "bash", arguments: { command: text } });
      expect(effect).not.toBe("allow");
    }),
    { seed: 46, numRuns: 2_000 },
  );
});

describe("a rule with unknown: allow", () => {
  test.each<[string, PolicyInput]>([
    [
      "of a policy",
      {
        preset: "autonomous",
        rules: [{ ...rule, permissions: { ...rule.permissions, unknown: "allow" } }],
      },
    ],
    [
      "of the workspace",
      ["autonomous", workspacePolicy({ rules: [{ ...denied, unknown: "allow" }] })],
    ],
  ])(
    "%s lets scripts run that are not understood, and no command that it matches",
    async (_, policy) => {
      const { executor } = openExecutor(policy);
      const decide = async (command: string): Promise<string> =>
        (await executor.explain({ name: "bash", arguments: { command } })).effect;
      expect(await decide("ls *.ts")).toBe("allow");
      expect(await decide("foo rm x")).toBe("allow");
      expect(await decide("find . -exec rm {} +")).toBe("deny");
      expect(await decide("/bin/rm x")).toBe("deny");
    },
  );
});

describe("a rule for git push matches", () => {
  const policy: PolicyInput = {
    preset: "autonomous",
    rules: [
      { effect: "deny", permissions: { kind: "process", target: ["git push", "git push *"] } },
    ],
  };
  test.each([
    "git push",
    "git -C . push origin main",
    "git --no-pager push",
    "git --git-dir .git push",
    "git send-pack origin",
    "/usr/lib/git-core/git-push origin",
    "/usr/bin/git push",
  ])("%s", async (command) => {
    const { executor } = openExecutor(policy);
    expect((await executor.explain({ name: "bash", arguments: { command } })).effect).toBe("deny");
  });

  test("and not git log", async () => {
    const { executor } = openExecutor(policy);
    const explained = await executor.explain({ name: "bash", arguments: { command: "git log" } });
    expect(explained.effect).toBe("allow");
  });
});
