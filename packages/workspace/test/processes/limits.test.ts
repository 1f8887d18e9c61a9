import { describe, expect, test } from "vitest";
import { ControlGroup } from "../../src/processes/control-group.ts";
import { openWorkspace, readText } from "../support/open-workspace.ts";
import { hasSandbox } from "../support/sandbox-level.ts";

const levels = hasSandbox ? (["none", "bwrap"] as const) : (["none"] as const);
const group = ControlGroup.create({ processes: 10, memoryBytes: 1024 ** 3 });
const enforced = group?.enforced ?? new Set();
group?.remove();

describe.each(levels)("a command with the sandbox %s", (sandbox) => {
  test("writes no file beyond the limit", async () => {
    const { text, read } = openWorkspace({}, { sandbox, limits: { fileBytes: 64 * 1024 } });
    await text("bash", { command: "head -c 1000000 /dev/zero > big || true" });
    expect(read("big")).toHaveLength(64 * 1024);
  });

  // Without a sandbox, root may raise each limit.
  test.runIf(sandbox === "bwrap")("raises none of its limits again", async () => {
    const { text } = openWorkspace({}, { sandbox, limits: { openFiles: 100 } });
    const output = await text("bash", {
      command: "ulimit -n; ulimit -n 200 2>/dev/null; ulimit -n",
    });
    expect(output).toBe("100\n100");
  });

  test.runIf(enforced.has("pids"))("starts no processes beyond the limit", async () => {
    const { call } = openWorkspace({}, { sandbox, limits: { processes: 20 } });
    // A shell would try again and again.
    const outcome = await call("bash", {
      command: `perl -e 'for (1..60) { my $p = fork; last unless defined $p; $p or (sleep 60, exit); $n++ } print $n'`,
    });
    expect(Number.parseInt(readText(outcome), 10)).toBeLessThan(20);
    expect(outcome.result?.details).toMatchObject({
      limits: { processes: { value: 20, isEnforced: true } },
    });
  });

  test.runIf(enforced.has("memory"))("uses no memory beyond the limit", async () => {
    const { call } = openWorkspace({}, { sandbox, limits: { memoryBytes: 64 * 1024 * 1024 } });
    const outcome = await call("bash", { command: "head -c 300000000 /dev/zero | tail | wc -c" });
    expect(readText(outcome)).not.toContain("300000000");
  });
});
