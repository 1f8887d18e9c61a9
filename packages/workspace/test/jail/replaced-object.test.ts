import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFullRun } from "@toolweave/test-support";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import type { JsonObject } from "@toolweave/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { LinkRace, specialFiles } from "../support/link-race.ts";

const tries = inFullRun(20_000, 400);

type RacedCall = readonly [name: string, args: JsonObject];

const reads: readonly RacedCall[] = [
  ["read_file", { path: "link" }],
  ["search", { pattern: "content", path: "link" }],
  [
    "edit_file",
    { path: "link", edits: [{ old: "t", new: "T", replace_all: true }], dry_run: true },
  ],
  ["fs_read", { path: "link" }],
  ["fs_find", { pattern: "content", path: "link" }],
  ["fs_diff", { path: "link", text: "" }],
];

const writes: readonly RacedCall[] = [
  ["write_file", { path: "link", content: "more", mode: "append" }],
  ["edit_file", { path: "link", edits: [{ old: "t", new: "T", replace_all: true }] }],
  ["apply_patch", { patch: "*** Begin Patch\n*** Delete File: link\n*** End Patch" }],
  ["fs_write", { path: "link", content: "other" }],
  ["fs_edit", { path: "link", edits: [{ old: "content", new: "other" }] }],
  ["fs_copy", { from: "plain/f", to: "link" }],
];

function createRace(): LinkRace {
  const race = new LinkRace(tempFolder());
  onTestFinished(() => race.close());
  return race;
}

describe.runIf(process.platform === "linux")("while a process replaces a link", () => {
  test.each(reads)(
    "%s returns nothing of a file that needs approval or is denied",
    { timeout: 600_000 },
    async (name, args) => {
      const { secret, marked, denied, linked } = specialFiles;
      const targets = ["plain/f", secret, "plain/f", marked, "plain/f", denied, "plain/f", linked];
      const counts = await createRace().run("link", targets, name, args, tries);
      expect(counts.leaks).toBe(0);
      expect(counts.completed).toBeGreaterThan(0);
      expect(counts.refused).toBeGreaterThan(0);
    },
  );

  test.each(writes)(
    "%s changes no file that needs approval or is denied",
    { timeout: 600_000 },
    async (name, args) => {
      const targets = Object.values(specialFiles).flatMap((path) => ["plain/f", path]);
      const counts = await createRace().run("link", targets, name, args, tries);
      expect(counts.changed).toEqual([]);
      expect(counts.refused).toBeGreaterThan(0);
    },
  );

  test.each([
    ["search", { pattern: "content", path: "link-d" }],
    ["read_file", { path: "link-d/f" }],
    ["fs_copy", { from: "link-d/f", to: "plain/copy" }],
  ] as const)("%s uses no folder that needs approval", { timeout: 600_000 }, async (name, args) => {
    const race = createRace();
    const counts = await race.run("link-d", ["plain", "marked"], name, args, tries);
    expect(counts.leaks).toBe(0);
    const { result } = await race.call("read_file", { path: "plain/copy" });
    expect(JSON.stringify(result ?? null)).not.toContain("SPECIAL");
  });
});

test.each([
  ["read_file", { path: "link" }],
  ["write_file", { path: "link", content: "x", mode: "append" }],
  ["search", { pattern: "x", path: "link" }],
  ["list_files", { path: "link-d" }],
] as const)(
  "%s of a path that leads elsewhere since it was permitted fails",
  async (name, args) => {
    const root = tempFolder();
    const relink = (link: string, target: string): void => {
      rmSync(join(root, link), { force: true });
      symlinkSync(target, join(root, link));
    };
    // The policy is asked after the permissions were determined, and before the tool opens anything.
    const race = new LinkRace(root, () => {
      relink("link", specialFiles.secret);
      relink("link-d", "marked");
    });
    onTestFinished(() => race.close());
    relink("link", "plain/f");
    relink("link-d", "plain");
    const { error } = await race.call(name, args);
    expect(error?.message).toBe(
      `"${args.path}" leads to another file or folder than when the call was permitted, since something was replaced meanwhile. Call the tool again.`,
    );
  },
);

test("a script without commands runs, and only in its folder if it writes", async () => {
  const root = tempFolder();
  const race = new LinkRace(root);
  onTestFinished(() => race.close());
  symlinkSync("plain", join(root, "link-d"));
  for (const command of ["x=1", "# nothing", "> new.txt"]) {
    const { status } = await race.call("bash", { command, cwd: "link-d" });
    expect([command, status]).toEqual([command, "completed"]);
  }
  expect(existsSync(join(root, "plain/new.txt"))).toBe(true);
  const swapped = new LinkRace(root, () => {
    rmSync(join(root, "link-d"));
    symlinkSync("marked", join(root, "link-d"));
  });
  onTestFinished(() => swapped.close());
  const { error } = await swapped.call("bash", { command: "> f", cwd: "link-d" });
  expect(error?.message).toContain("leads to another file or folder than when");
});

test.each(["bash", "exec_run"] as const)(
  "%s does not run in another folder than the one whose files its permissions are for",
  async (name) => {
    const root = tempFolder();
    const relink = (target: string): void => {
      rmSync(join(root, "link-d"), { force: true });
      symlinkSync(target, join(root, "link-d"));
    };
    const race = new LinkRace(root, () => relink("marked"));
    onTestFinished(() => race.close());
    relink("plain");
    const command =
      name === "bash"
        ? { command: "cat f", cwd: "link-d" }
        : { cmd: "cat", args: ["f"], dir: "link-d" };
    const { result, error } = await race.call(name, command);
    expect(error?.message).toContain('"link-d" leads to another file or folder than when');
    expect(JSON.stringify(result)).not.toContain("SPECIAL");
    const direct = await race.call(
      name,
      JSON.parse(JSON.stringify(command).replace("link-d", "plain")),
    );
    expect(JSON.stringify(direct.result)).toContain("plain content");
  },
);

test("a folder is not removed with a member that came after it was permitted and needs approval", async () => {
  const root = tempFolder();
  const late = join(root, "plain/late.pem");
  const race = new LinkRace(root, () => writeFileSync(late, "key"));
  onTestFinished(() => race.close());
  const { error } = await race.call("fs_remove", { path: "plain", recursive: true });
  expect(error?.message).toContain("leads to another file or folder than when");
  expect(existsSync(late)).toBe(true);
});
