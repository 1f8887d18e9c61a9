import { defineTool, type Tool } from "@toolweave/core";
import { expect, test } from "vitest";
import { runConformance, type ConformanceReport, type Manifest } from "../../src/index.ts";
import { over, withInvoke } from "../mutants/mutant.ts";
import { sourceManifest, toolsManifest } from "../fixtures/index.ts";

const deadlineMs = 20;
const never = (): Promise<never> => new Promise(() => {});

/** The maximum number of waits in vain of a run: each costs the deadline. */
async function run(manifest: Manifest): Promise<{ report: ConformanceReport; waits: number }> {
  const report = await runConformance(manifest, { seed: 1, deadlineMs });
  const { rules } = report;
  const texts = rules.map(({ message, seen = "" }) => `${message} ${seen}`);
  return { report, waits: texts.filter((text) => text.includes("took more than")).length };
}

function givenUp({ rules }: ConformanceReport): readonly string[] {
  return rules
    .filter(({ message }) =>
      message.startsWith("Too many operations timed out before this rule: see "),
    )
    .map(({ id, status }) => `${id} ${status}`);
}

test("a run in which no call ends is aborted and not conformant", async () => {
  const hanging = (tools: readonly Tool[]): Tool[] =>
    tools.reduce((all, { spec }) => withInvoke(all, spec.name, never), [...tools]);
  const { report, waits } = await run(toolsManifest(hanging));
  expect(report.ok).toBe(false);
  expect(waits).toBeLessThanOrEqual(6);
  expect(givenUp(report).length).toBeGreaterThan(50);
  expect(givenUp(report).every((rule) => rule.endsWith("not-applicable"))).toBe(true);
});

test("a run in which no close ends is aborted, and the rule for close reports it", async () => {
  const { report } = await run(sourceManifest((source) => over(source, { close: never })));
  expect(report.rules.find(({ id }) => id === "TW-LIFE-003")?.status).toBe("failed");
  expect(givenUp(report).length).toBeGreaterThan(100);
});

test("a run with a known hang fails, since the remaining rules are not checked", async () => {
  const manifest = sourceManifest((source) => over(source, { close: never }));
  const { report } = await run({ ...manifest, knownFailing: { "TW-LIFE-003": "issue 7" } });
  expect(report.ok).toBe(false);
});

test("a call that keeps the process busy and never ends times out as well", async () => {
  const spin = (): Promise<never> =>
    new Promise(() => {
      const turn = (): void => void (isOver || setImmediate(turn));
      turn();
    });
  let isOver = false;
  const { report } = await run(toolsManifest((tools) => withInvoke(tools, "add", spin)));
  isOver = true;
  expect(report.rules.find(({ id }) => id === "TW-CALL-002")?.status).toBe("failed");
});

test("a run in which everything ends is never aborted", async () => {
  const tool = defineTool({
    name: "ping",
    description: "Answer.",
    input: { type: "object" },
    execute: () => "pong",
  });
  const manifest: Manifest = {
    name: "ping",
    create: () => [tool],
    samples: { succeedingCalls: [{ tool: "ping", arguments: {} }] },
    without: "it answers at once",
  };
  const { report } = await run(manifest);
  expect(report.ok).toBe(true);
  expect(givenUp(report)).toEqual([]);
});
