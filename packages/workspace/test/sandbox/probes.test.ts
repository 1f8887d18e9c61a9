import { describe, expect, test } from "vitest";
import { BubblewrapSandbox, findBubblewrap } from "../../src/sandbox/bubblewrap.ts";
import { chooseSandbox } from "../../src/sandbox/choose-sandbox.ts";
import { probeSandbox } from "../../src/sandbox/probe-sandbox.ts";
import { noSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { seccompProgram } from "../../src/sandbox/seccomp.ts";
import { hasSandbox } from "../support/sandbox-level.ts";

const program = findBubblewrap();
const view = () => ({ roots: [], protectedPaths: [], hiddenPaths: [], readPaths: [] });

/** A sandbox of bubblewrap with other options. */
function createSandbox(
  options: (root: string) => readonly string[],
): Parameters<typeof probeSandbox>[0] {
  return ({ roots }): Sandbox => ({
    ...noSandbox,
    prepare: ({ argv, cwd, env }) => ({
      argv: [program as string, ...options((roots[0] as { path: string }).path), "--", ...argv],
      cwd,
      env,
      descriptors: [],
      close: () => {},
    }),
  });
}

describe.runIf(hasSandbox)("the probes", () => {
  test("find no way out of the sandbox", async () => {
    const report = await probeSandbox(
      (inside) => new BubblewrapSandbox({ program: program as string, view: () => inside }),
    );
    expect(report).toMatchObject({ holds: true, escaped: [] });
  });

  test("find the ways out of namespaces alone, as the superuser with its capabilities", async () => {
    const report = await probeSandbox(
      createSandbox((root) => [
        "--ro-bind",
        "/",
        "/",
        "--unshare-all",
        "--bind",
        root,
        root,
        "--dev",
        "/dev",
        "--proc",
        "/proc",
      ]),
    );
    expect(report.holds).toBe(false);
    const ofSuperuser = process.getuid?.() === 0 ? ["write outside", "remount"] : [];
    expect(report.escaped).toEqual(
      expect.arrayContaining([
        ...ofSuperuser,
        "read outside",
        "unix socket",
        "protected file",
        "hidden file",
      ]),
    );
  });

  test("say why a sandbox does not start", async () => {
    const report = await probeSandbox(createSandbox(() => ["--no-such-option"]));
    expect(report).toMatchObject({
      holds: false,
      escaped: [],
      failure: "bwrap: Unknown option --no-such-option",
    });
  });
});

test("the reason of a sandbox that does not start is the beginning of its output", async () => {
  const script = 'echo "no such device" >&2; head -c 200000 /dev/zero | tr "\\0" x; exit 1';
  const { failure } = await probeSandbox(() => ({
    ...noSandbox,
    prepare: (command) => noSandbox.prepare({ ...command, argv: ["/bin/sh", "-c", script] }),
  }));
  expect(failure?.split("\n")[0]).toBe("no such device");
});

test("the probes find the ways out where there is no sandbox", async () => {
  const { escaped } = await probeSandbox(() => noSandbox);
  expect(escaped).toEqual(
    expect.arrayContaining([
      "write outside",
      "read outside",
      "host process",
      "signal",
      "host environment",
      "network",
      "datagram",
      "unix socket",
      "protected file",
      "hidden file",
      "survivor",
    ]),
  );
});

describe("without bubblewrap", () => {
  test("commands run without a sandbox, if one is not required", async () => {
    const { sandbox, tried } = await chooseSandbox("auto", { view, bubblewrap: null, perl: null });
    expect(sandbox.level).toBe("none");
    expect(tried.map(({ level, holds }) => [level, holds])).toEqual([
      ["bwrap", false],
      ["landlock", false],
    ]);
  });

  test("no command runs, if one is required", async () => {
    await expect(chooseSandbox("required", { view, bubblewrap: null, perl: null })).rejects.toThrow(
      "No command is run, since the workspace requires a sandbox",
    );
  });
});

test("the filter of system calls is a program of whole instructions for the known architectures", () => {
  for (const architecture of ["x64", "arm64"]) {
    const filter = seccompProgram({ architecture }) as Buffer;
    expect(filter.length % 8).toBe(0);
    expect(filter.length / 8).toBeLessThan(4_096);
    // The last instruction allows.
    expect(filter.readUInt32LE(filter.length - 4)).toBe(0x7fff_0000);
  }
  expect(seccompProgram({ architecture: "mips" })).toBeUndefined();
});
