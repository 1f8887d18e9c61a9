import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const script = fileURLToPath(new URL("../src/start.ts", import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "terminal-approver-"));
});
afterEach(() => rm(folder, { recursive: true }));

const note = (name: string): string => join(folder, "notes", `${name}.md`);
vi.setConfig({ testTimeout: 30_000 });

const times = (text: string, part: string): number => text.split(part).length - 1;

/** The command in a child process, with `answers` on its stdin; after the last one it is closed. */
function start(args: readonly string[], answers: readonly string[] = []): Promise<Ended> {
  const { child, ended } = running(args);
  child.stdin.end(answers.map((answer) => `${answer}\n`).join(""));
  return ended;
}

function running(args: readonly string[]) {
  const child = spawn(
    process.execPath,
    ["--conditions=@toolweave/source", script, "--folder", folder, ...args],
    { stdio: "pipe", env: { ...process.env, USER: "ada" } },
  );
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const ended = once(child, "close").then(([code]): Ended => ({
    code: code as number | null,
    ...output,
  }));
  return { child, ended };
}

function audit(): Record<string, unknown>[] {
  const lines = readFileSync(join(folder, "audit.jsonl"), "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("a person at the terminal", () => {
  it("decides about changes on the disk, and the model reads the reason", async () => {
    const { code, stdout, stderr } = await start([], ["y", "n", "I am still hungry.", "y"]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(readFileSync(note("plan"), "utf8")).toContain("Monday: Lisbon");
    expect(readFileSync(note("shopping"), "utf8")).toBe("milk, bread, jam");
    expect(stdout).toMatch(/reads: A person rejected .*delete_note.* I am still hungry\./);
  });

  it("sees the action, its target, the reason of the question, and the possible grant", async () => {
    const { stdout } = await start([], ["y", "y", "y"]);
    const [, write = ""] = stdout.split("---");
    expect(write).toContain("write_note needs your approval");
    expect(write).toContain("Create notes/plan.md");
    expect(write).toContain("fs.write notes/plan.md");
    expect(write).toContain("high: it may destroy something");
    expect(write).toContain('"content": "Monday: Lisbon\\nTuesday: Sintra\\n"');
    expect(write).toMatch(/remember write_note with exactly these arguments, .*, for ada\n/);
  });

  it("is not asked about reads, nor about calls that a rule denies", async () => {
    const { stdout } = await start([], ["y", "y", "y"]);
    expect(times(stdout, "needs your approval")).toBe(3);
    expect(stdout).toContain("reads: read_note is not permitted (the diary is private).");
    expect(stdout).not.toContain("A secret.");
  });

  it("is asked about a deletion each time, without the option of a grant", async () => {
    const { stdout } = await start([], ["y", "a", "s", "n", "", "y"]);
    const deletion = stdout.split("---").find((part) => part.includes("Delete notes/")) ?? "";
    expect(times(deletion, "[y]es once, [n]o >")).toBe(3);
    expect(deletion).not.toContain("remember");
    expect(existsSync(note("shopping"))).toBe(true);
  });

  it("is asked again after an invalid answer", async () => {
    const { stdout } = await start([], ["", "yes please", "A note?", "n", ""]);
    expect(times(stdout.split("reads: A person")[0] ?? "", "[n]o >")).toBe(4);
    expect(existsSync(note("plan"))).toBe(false);
  });
});

describe("a missing answer", () => {
  it("is a rejection when the input ends (Ctrl-D)", async () => {
    const { code, stdout } = await start([]);
    expect(code).toBe(0);
    expect(times(stdout, "Reason: The terminal was closed.")).toBe(3);
    expect(existsSync(note("plan"))).toBe(false);
    expect(existsSync(note("shopping"))).toBe(true);
    expect(audit().filter(({ decision }) => decision === "rejected")).toHaveLength(3);
  });

  it("is a rejection when the process is interrupted (Ctrl-C)", async () => {
    const { child, ended } = running([]);
    await new Promise<void>((asked) => {
      child.stdout.on("data", (text: string) => text.includes("[n]o >") && asked());
    });
    child.kill("SIGINT");
    const { code } = await ended;
    expect(code).toBe(0);
    expect(existsSync(note("plan"))).toBe(false);
    expect(existsSync(note("shopping"))).toBe(true);
  });
});

describe("a grant", () => {
  const write = "write_note needs your approval";

  it("for a session is valid in one process, and not in the next", async () => {
    const first = await start([], ["s", "y"]);
    expect(times(first.stdout, write)).toBe(1);
    const second = await start([], ["n", "", "n", "", "n", ""]);
    expect(times(second.stdout, write)).toBe(2);
  });

  it("for always is valid in another process, until it is revoked", async () => {
    const first = await start([], ["a", "n", ""]);
    expect(times(first.stdout, write)).toBe(1);
    await rm(note("plan"));

    const second = await start([], ["n", ""]);
    expect(second.stdout).not.toContain(write);
    expect(readFileSync(note("plan"), "utf8")).toContain("Monday: Lisbon");

    const grants = await start(["grants"]);
    expect(grants.stdout).toMatch(/^\S+ +always +write_note +fs.write notes\/plan.md +ada\n$/);
    const [id = ""] = grants.stdout.split(" ");
    expect((await start(["revoke", id])).stdout).toBe("Revoked.\n");
    expect((await start(["grants"])).stdout).toBe("Nothing is remembered.\n");
    await rm(note("plan"));

    const third = await start([], ["n", ""]);
    expect(times(third.stdout, write)).toBe(1);
    expect(existsSync(note("plan"))).toBe(false);
  });

  it("is not revoked with a wrong id", async () => {
    await start([], ["a"]);
    expect(await start(["revoke", "nothing"])).toMatchObject({ code: 1 });
    expect((await start(["grants"])).stdout).toContain("write_note");
  });
});

describe("the audit file", () => {
  it("has every decision with its author, and nothing of the contents", async () => {
    await start([], ["a", "n", "I am still hungry."]);
    const records = audit();
    expect(records.map(({ tool, decision, by }) => [tool, decision, by])).toEqual([
      ["list_notes", "allowed", undefined],
      ["read_note", "allowed", undefined],
      ["write_note", "approved", "ada"],
      ["read_note", "denied", undefined],
      ["delete_note", "rejected", "ada"],
      ["write_note", "granted", undefined],
    ]);
    expect(records[3]).toMatchObject({ rule: "notes diary" });
    expect(records[4]).toMatchObject({ rule: "notes deletion" });
    const text = JSON.stringify(records);
    expect(text).not.toContain("Lisbon");
    expect(text).not.toContain("milk");
  });
});

describe("the command", () => {
  it("prints its help", async () => {
    const { code, stdout } = await start(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: start /);
  });

  it("answers an unknown option with its usage and code 2", async () => {
    for (const args of [["--yes"], ["approve"], ["revoke"], ["grants", "all"]]) {
      const { code, stdout, stderr } = await start(args);
      expect(code).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).toMatch(/^Usage: start /);
    }
  });
});
