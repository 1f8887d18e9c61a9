import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Examination } from "../support/examine-process.ts";
import { hasLandlock, hasSandbox } from "../support/sandbox-level.ts";

const script = join(import.meta.dirname, "../support/examine-process.ts");
const unprivileged = 65_534;
const isRoot = process.getuid?.() === 0;

/** Examines the levels in another process. */
function examine(
  hidden: string,
  { around = [], uid }: { readonly around?: readonly string[]; readonly uid?: number } = {},
): Examination {
  const [program = "", ...args] = [...around, process.execPath];
  const { stdout, stderr } = spawnSync(
    program,
    [...args, "--conditions=@toolweave/source", script, hidden],
    {
      encoding: "utf8",
      ...(uid === undefined ? {} : { uid, gid: uid }),
      env: { PATH: process.env["PATH"] },
    },
  );
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as Examination;
}

/** Whether another user can read this checkout, and start this Node.js. */
const isReadable =
  isRoot &&
  spawnSync(process.execPath, ["-e", `require("fs").readFileSync(${JSON.stringify(script)})`], {
    uid: unprivileged,
    gid: unprivileged,
  }).status === 0;

const holdingIn = ({ levels }: Examination): readonly string[] =>
  levels.filter(({ holds }) => holds).map(({ level }) => level);

describe.runIf(hasSandbox && hasLandlock)("on a machine with both sandboxes", () => {
  test("the strongest level is used", () => {
    const found = examine("");
    expect(holdingIn(found)).toEqual(["bwrap", "landlock"]);
    expect([found.auto, found.required]).toEqual(["bwrap", "bwrap"]);
  });

  test.runIf(isReadable)("both hold for a user without rights", () => {
    const found = examine("", { uid: unprivileged });
    expect(holdingIn(found)).toEqual(["bwrap", "landlock"]);
    expect(found.auto).toBe("bwrap");
  });

  test("without bubblewrap the level falls to landlock", () => {
    const found = examine("bwrap");
    expect([found.auto, found.required]).toEqual(["landlock", "landlock"]);
    expect(found.levels[0]?.reason).toBe(
      "bubblewrap is not installed: install the package bubblewrap",
    );
  });

  test("without user namespaces the level falls to landlock, and the reason says what to do", () => {
    const found = examine("", {
      around: [
        "unshare",
        "-Ur",
        "sh",
        "-c",
        'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" "$@"',
      ],
    });
    expect([found.auto, found.required]).toEqual(["landlock", "landlock"]);
    expect(found.levels[0]?.reason).toContain("allow user namespaces");
  });
});

test("without any sandbox commands run as they are, or not at all if one is required", () => {
  const found = examine("bwrap perl");
  expect(found.auto).toBe("none");
  expect(found.required).toMatch(/^No command is run, since the workspace requires a sandbox: /);
});
