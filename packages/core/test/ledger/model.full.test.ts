import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const models = join(import.meta.dirname, "../../model");
const isInstalled = ["spin", "gcc"].every(
  (program) => spawnSync(program, ["--version"]).error === undefined,
);
if (!isInstalled) {
  console.log("The models are not checked: spin and gcc are missing (apt-get install spin gcc).");
}

/** The report of a search of all states. */
interface Search {
  readonly errors: number;
  readonly states: number;
  /** The assertion that does not hold. */
  readonly violated: string | undefined;
  /** Every reachable state was visited: no limit of depth or memory ended the search. */
  readonly isComplete: boolean;
}

describe.skipIf(!isInstalled)("the protocol models", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "toolweave-model-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function run(program: string, args: readonly string[]): string {
    const { status, signal, stdout, stderr } = spawnSync(program, args, {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    if (status !== 0)
      throw new Error(`${program} failed (${signal ?? status}): ${stdout}${stderr}`);
    return stdout;
  }

  /** @param finite true: searches for an execution without an end, instead of violated assertions. */
  function search(model: string, flags: readonly string[], finite = false): Search {
    run("spin", ["-a", ...flags.map((flag) => `-D${flag}`), join(models, model)]);
    const kind = finite ? "-DNP" : "-DSAFETY";
    run("gcc", ["-w", "-O2", kind, "-DCOLLAPSE", "-DMEMLIM=4000", "-o", "pan", "pan.c"]);
    const report = run("./pan", ["-m1000000", ...(finite ? ["-l"] : [])]);
    return {
      errors: Number(/errors: (\d+)/.exec(report)?.[1]),
      states: Number(/(\d+) states, stored/.exec(report)?.[1]),
      violated: /assertion violated (.*) \(at depth/.exec(report)?.[1],
      isComplete: !/not completed|too small|out of memory|memory limit|hash factor/i.test(report),
    };
  }

  test.each([
    { name: "of two calls", flags: ["CALLS=2", "FAULTS=1"], states: 1_000_000 },
    { name: "with two lost answers", flags: ["CALLS=1", "FAULTS=2"], states: 1_000_000 },
    { name: "without epochs", flags: ["CALLS=1", "FAULTS=2", "EPOCHS=0"], states: 100_000 },
    { name: "that may be repeated", flags: ["CALLS=1", "FAULTS=1", "RERUN=1"], states: 100_000 },
    { name: "that wait", flags: ["CALLS=1", "FAULTS=1", "SUSPENDS=1"], states: 1_000_000 },
  ])("the ledger keeps its guarantees for calls $name", ({ flags, states }) => {
    const result = search("call-ledger.pml", flags);
    expect(result).toMatchObject({ errors: 0, violated: undefined, isComplete: true });
    expect(result.states).toBeGreaterThan(states);
  });

  test("every execution of the ledger's protocol ends", () => {
    const result = search("call-ledger.pml", ["CALLS=1", "FAULTS=1"], true);
    expect(result).toMatchObject({ errors: 0, isComplete: true });
  });

  const effect = /effects\[/;
  const epoch = /epoch>=latestBegun/;
  test.each([
    { flags: ["NO_TOKEN_IN_END", "CALLS=1", "FAULTS=2", "EPOCHS=0"], violated: effect },
    { flags: ["NO_TOKEN_IN_BEGIN", "CALLS=1", "FAULTS=0"], violated: effect },
    { flags: ["NO_EPOCH_CHECK", "CALLS=2", "FAULTS=0"], violated: epoch },
    { flags: ["EPOCH_IN_ROWS", "CALLS=2", "FAULTS=1"], violated: epoch },
    { flags: ["EPOCH_IN_ROWS", "CALLS=2", "FAULTS=0", "SUSPENDS=1"], violated: epoch },
    { flags: ["LEASE_IS_PERMISSION", "CALLS=1", "FAULTS=0"], violated: effect },
    { flags: ["NO_RERUN_RULE", "CALLS=1", "FAULTS=0"], violated: effect },
    { flags: ["WAITS_FOR_RUNNING", "CALLS=1", "FAULTS=0"], violated: /runsEnded==1/ },
  ])("a ledger with the mutation $flags.0 breaks a guarantee", ({ flags, violated }) => {
    const result = search("call-ledger.pml", flags);
    expect(result.errors).toBe(1);
    expect(result.violated).toMatch(violated);
  });

  test("an approval is used at most once", () => {
    const result = search("pending-call.pml", []);
    expect(result).toMatchObject({ errors: 0, violated: undefined, isComplete: true });
    expect(result.states).toBeGreaterThan(50_000);
  });

  test.each(["NO_CONDITION", "NO_TOKEN", "LEASE_IS_PERMISSION", "CLAIM_IS_UNDONE"])(
    "a store of pending calls with the mutation %s uses an approval twice",
    (flag) => {
      const result = search("pending-call.pml", [flag]);
      expect(result.errors).toBe(1);
      expect(result.violated).toMatch(/uses==1/);
    },
  );
});
