import { defineTool, toolsSource, type Tool, type ToolSource } from "@toolweave/core";
import { expect, test } from "vitest";
import {
  runConformance,
  type ConformanceReport,
  type Manifest,
  type RuleResult,
} from "../src/index.ts";
import { declarations } from "../src/declarations.ts";
import { sourceManifest, toolsManifest } from "./fixtures/index.ts";

const none = "no time";

function toolOf(parts: { description?: string; name?: string } = {}): Tool {
  return defineTool({
    name: "ping",
    description: "Answer.",
    input: { type: "object" },
    execute: () => "pong",
    ...parts,
  });
}

function manifestOf(tool: Tool, more: Partial<Manifest> = {}): Manifest {
  return { name: "ping", create: () => [tool], without: none, ...more };
}

async function rule(id: string, manifest: Manifest): Promise<RuleResult | undefined> {
  const { rules } = await runConformance(manifest, { seed: 1, only: [id] });
  return rules.find((result) => result.id === id);
}

/** What was found, without how long it took. */
function findings({ rules }: ConformanceReport): unknown[] {
  return rules.map((rule) => ({ ...rule, durationMs: 0 }));
}

test("a report is plain JSON that counts every rule once", async () => {
  const report = await runConformance(sourceManifest(), { seed: 7 });
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  expect(report).toMatchObject({ subject: "a source", seed: 7, ok: true, failed: 0 });
  expect(report.passed + report.notApplicable).toBe(report.rules.length);
});

test("a failed rule says what is wrong, what was done and what was seen", async () => {
  const result = await rule("TW-SPEC-003", manifestOf(toolOf({ description: "  " })));
  expect(result).toEqual({
    id: "TW-SPEC-003",
    area: "SPEC",
    level: "must",
    text: "The description says something.",
    section: "4",
    status: "failed",
    message: '"ping" has no description.',
    done: "Read each description (1 in all).",
    seen: '"ping":   ',
    durationMs: expect.any(Number),
    replay: { seed: 1, only: ["TW-SPEC-003"] },
  });
});

test("the same seed gives the same report, and another run gets another seed", async () => {
  const broken = toolsManifest((tools) =>
    tools.map((tool) =>
      tool.spec.name === "read_page"
        ? {
            ...tool,
            preflight: ({ number }) =>
              Number(number) > 100 ? [{ kind: "spend", target: "1 EUR", summary: "Pay" }] : [],
          }
        : tool,
    ),
  );
  const first = await runConformance(broken);
  const again = await runConformance(broken, { seed: first.seed });
  expect(findings(again)).toEqual(findings(first));
  expect((await runConformance(broken)).seed).not.toBe(first.seed);
});

test("a rule that needs what the manifest says it has not is not applicable, with the reason", async () => {
  const without = { slowCalls: "every tool answers at once" };
  const result = await rule("TW-CANCEL-002", manifestOf(toolOf(), { without }));
  expect(result).toMatchObject({
    status: "not-applicable",
    message: "every tool answers at once",
  });
});

test("what is neither given nor declined is one red rule that names it all", async () => {
  const without = Object.fromEntries(
    declarations.filter((name) => name !== "slowCalls").map((name) => [name, none]),
  );
  const { rules } = await runConformance(manifestOf(toolOf(), { without }));
  expect(rules.filter(({ status }) => status === "failed")).toMatchObject([
    {
      id: "TW-MANIFEST-001",
      message:
        'The manifest says nothing of slowCalls, and the rules that need it are not checked: give samples.slowCalls, or say in "without" why there is none.',
    },
  ]);
  expect(rules.find(({ id }) => id === "TW-CANCEL-002")).toMatchObject({
    status: "not-applicable",
    message: "The manifest says nothing of slowCalls: see TW-MANIFEST-001.",
  });
});

test("the rules for sources are not applicable to a list of tools", async () => {
  expect(await rule("TW-LIFE-003", manifestOf(toolOf()))).toMatchObject({
    status: "not-applicable",
    message: "create() gives a list of tools, not a source.",
  });
});

test("what is known to fail does not count as failed", async () => {
  const manifest = manifestOf(toolOf({ description: "" }), {
    knownFailing: { "TW-SPEC-003": "issue 12" },
  });
  const report = await runConformance(manifest);
  expect(report).toMatchObject({ ok: true, failed: 0, knownFailing: 1 });
  expect(report.rules.find(({ id }) => id === "TW-SPEC-003")).toMatchObject({
    status: "known-failing",
    message: '"ping" has no description.',
  });
});

test("what is known to fail and holds is red", async () => {
  const manifest = manifestOf(toolOf(), { knownFailing: { "TW-SPEC-003": "issue 12" } });
  const report = await runConformance(manifest);
  expect(report.ok).toBe(false);
  expect(report.rules.filter(({ status }) => status === "failed")).toMatchObject([
    {
      id: "TW-SPEC-003",
      message:
        "TW-SPEC-003 is listed in knownFailing (issue 12) and does not fail: take it out of the list.",
    },
  ]);
});

test.each<[what: string, more: Partial<Manifest>, message: string]>([
  [
    "an unknown rule",
    { knownFailing: { "TW-SPEC-999": "later" } },
    "ping: knownFailing names TW-SPEC-999, which is no rule.",
  ],
  [
    "a no without a reason",
    { without: { slowCalls: "" } },
    "ping: without.slowCalls needs a reason.",
  ],
  [
    "sample calls that it says it has not",
    {
      samples: { slowCalls: [{ tool: "ping", arguments: {} }] },
      without: { slowCalls: "no time" },
    },
    "ping: there are samples.slowCalls, so take slowCalls out of without.",
  ],
])("a manifest with %s is refused", async (_, more, message) => {
  await expect(runConformance(manifestOf(toolOf(), more))).rejects.toMatchObject({
    code: "internal",
    message,
  });
});

test("a subject that cannot be made fails one rule, and the others have nothing to look at", async () => {
  const manifest = manifestOf(toolOf(), {
    create: () => {
      throw new Error("no such server");
    },
  });
  const { rules, failed } = await runConformance(manifest);
  expect(failed).toBe(1);
  expect(rules.find(({ id }) => id === "TW-LIFE-001")).toMatchObject({
    seen: "Error: no such server",
  });
  expect(rules[5]).toMatchObject({
    status: "not-applicable",
    message: "There is nothing to look at: see TW-LIFE-001.",
  });
});

test("every source that was made is closed", async () => {
  let open = 0;
  const manifest = sourceManifest((source) => {
    open += 1;
    let closed = false;
    const close = source.close.bind(source);
    source.close = async () => {
      if (!closed) open -= 1;
      closed = true;
      await close();
    };
    return source;
  });
  await runConformance(manifest);
  expect(open).toBe(0);
});

test("no tool is invoked but by the sample calls", async () => {
  let invoked = 0;
  const tool = defineTool({
    name: "ping",
    description: "Answer.",
    input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
    annotations: { readOnlyHint: true },
    execute: () => {
      invoked += 1;
    },
  });
  await runConformance(manifestOf(tool));
  expect(invoked).toBe(0);
});

test("of many tools some are called, and the report says how many", async () => {
  const tools = Array.from({ length: 60 }, (_, index) => toolOf({ name: `ping_${index}` }));
  const result = await rule("TW-CALL-001", manifestOf(toolOf(), { create: () => tools }));
  expect(result?.message).toBe(
    "Called 40 of 60 tools with arguments that break their schemas (40 in all).",
  );
});

test("a preflight that never answers is waited for once", async () => {
  let asked = 0;
  const tool: Tool = {
    ...toolOf(),
    spec: { ...toolOf().spec, annotations: { readOnlyHint: true } },
    preflight: () => {
      asked += 1;
      return new Promise(() => {});
    },
  };
  const { rules } = await runConformance(manifestOf(tool), { deadlineMs: 20, only: ["PERM"] });
  expect(rules.filter(({ status }) => status === "failed")).toMatchObject([
    { id: "TW-PERM-006", seen: '"ping": Error: preflight took more than 20 ms' },
  ]);
  expect(asked).toBe(1);
});

test.each<[what: string, samples: Manifest["samples"], id: string, message: string]>([
  [
    "an effect that nobody can count",
    { effectCalls: [{ tool: "ping", arguments: {}, count: () => 0 }] },
    "TW-CANCEL-001",
    "ping({}) has no effect that count() sees: the sample proves nothing.",
  ],
  [
    "a slow call that is quick",
    { slowCalls: [{ tool: "ping", arguments: {} }] },
    "TW-CANCEL-002",
    "ping({}) was cancelled and ends otherwise.",
  ],
  [
    "a failing call that succeeds",
    { failingCalls: [{ tool: "ping", arguments: {} }] },
    "TW-ERROR-001",
    "ping({}) should fail and does not.",
  ],
  [
    "a call of a tool that is not there",
    { succeedingCalls: [{ tool: "pong", arguments: {} }] },
    "TW-CALL-002",
    "pong({}) should succeed and does not.",
  ],
])("sample calls with %s are told so", async (_, samples, id, message) => {
  const manifest = manifestOf(toolOf(), { samples: samples ?? {}, without: {} });
  expect(await rule(id, manifest)).toMatchObject({ status: "failed", message });
});

test("only the rules that are named are checked, and what they stand on", async () => {
  const { rules, complete } = await runConformance(manifestOf(toolOf()), {
    only: ["TW-SPEC-003", "name"],
  });
  const ids = rules.map(({ id }) => id);
  expect(ids[0]).toBe("TW-LIFE-001");
  expect(ids).toContain("TW-SPEC-003");
  expect(ids).toContain("TW-NAME-001");
  expect(ids).not.toContain("TW-CALL-001");
  expect(complete).toBe(false);
});

test("what a failed rule gives for a replay fails again", async () => {
  const manifest = manifestOf(toolOf({ description: "" }));
  const failed = await rule("TW-SPEC-003", manifest);
  const { rules } = await runConformance(manifest, failed?.replay ?? {});
  expect(rules.filter(({ status }) => status === "failed")).toMatchObject([
    { id: "TW-SPEC-003", seen: failed?.seen },
  ]);
});

test("a name that is neither a rule nor an area is refused with what may be meant", async () => {
  await expect(runConformance(manifestOf(toolOf()), { only: ["SPCE"] })).rejects.toMatchObject({
    code: "internal",
    message: 'There is no rule and no area "SPCE". Did you mean SPEC?',
  });
});

test("every rule is told of as soon as it is done", async () => {
  const told: unknown[] = [];
  const { rules } = await runConformance(manifestOf(toolOf()), {
    only: ["NAME"],
    onResult: ({ id }, { done, of }) => told.push([id, done, of]),
  });
  expect(told).toEqual(rules.map(({ id }, index) => [id, index + 1, rules.length]));
});

test("a run that is stopped closes all that it made, and rejects with the reason", async () => {
  const stop = new AbortController();
  const reason = new Error("enough");
  const open = new Set<ToolSource>();
  const stuck = defineTool({
    name: "ping",
    description: "Answer.",
    input: { type: "object" },
    // It is stopped while it runs, and takes no notice.
    execute: () => {
      stop.abort(reason);
      return new Promise<string>(() => {});
    },
  });
  const manifest = manifestOf(stuck, {
    create: () => {
      const source = toolsSource("ping", [stuck]);
      const close = source.close.bind(source);
      open.add(source);
      return Object.assign(source, { close: () => (open.delete(source), close()) });
    },
    samples: { succeedingCalls: [{ tool: "ping", arguments: {} }] },
  });
  const run = runConformance(manifest, { signal: stop.signal, only: ["TW-CALL-002"] });
  await expect(run).rejects.toBe(reason);
  expect(open.size).toBe(0);
});

test("a run that is stopped before it begins makes nothing", async () => {
  let made = 0;
  const manifest = manifestOf(toolOf(), {
    create: () => {
      made += 1;
      return [toolOf()];
    },
  });
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(runConformance(manifest, { signal })).rejects.toThrow("enough");
  expect(made).toBe(0);
});
