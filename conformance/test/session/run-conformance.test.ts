import { defineTool, toolsSource, type Tool, type ToolSource } from "@toolweave/core";
import { expect, test } from "vitest";
import {
  runConformance,
  type ConformanceReport,
  type Manifest,
  type RuleResult,
} from "../../src/index.ts";
import { declarations } from "../../src/contract/manifest.ts";
import { sourceManifest, toolsManifest } from "../fixtures/index.ts";

const none = "no time";

function createTool(parts: { description?: string; name?: string } = {}): Tool {
  return defineTool({
    name: "ping",
    description: "Answer.",
    input: { type: "object" },
    execute: () => "pong",
    ...parts,
  });
}

function createManifest(tool: Tool, more: Partial<Manifest> = {}): Manifest {
  return { name: "ping", create: () => [tool], without: none, ...more };
}

async function rule(id: string, manifest: Manifest): Promise<RuleResult | undefined> {
  const { rules } = await runConformance(manifest, { seed: 1, only: [id] });
  return rules.find((result) => result.id === id);
}

/** The results without durations. */
function findings({ rules }: ConformanceReport): unknown[] {
  return rules.map((rule) => ({ ...rule, durationMs: 0 }));
}

test("a report is plain JSON that counts every rule once", async () => {
  const report = await runConformance(sourceManifest(), { seed: 7 });
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  expect(report).toMatchObject({ subject: "a source", seed: 7, ok: true, failed: 0 });
  expect(report.passed + report.notApplicable).toBe(report.rules.length);
});

test("a failed rule has its problem, action and observation", async () => {
  const result = await rule("TW-SPEC-003", createManifest(createTool({ description: "  " })));
  expect(result).toEqual({
    id: "TW-SPEC-003",
    area: "SPEC",
    level: "must",
    text: "The description is not blank.",
    section: "4",
    status: "failed",
    message: '"ping" has no description.',
    done: "Read each description (1 in all).",
    seen: '"ping":   ',
    durationMs: expect.any(Number),
    replay: { seed: 1, only: ["TW-SPEC-003"] },
  });
});

test("the same seed produces the same report, and another run has another seed", async () => {
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

test("a rule that needs a declaration in `without` is not applicable, with the reason", async () => {
  const without = { slowCalls: "every tool answers at once" };
  const result = await rule("TW-CANCEL-002", createManifest(createTool(), { without }));
  expect(result).toMatchObject({
    status: "not-applicable",
    message: "every tool answers at once",
  });
});

test("one failed rule lists everything that is neither declared nor in `without`", async () => {
  const without = Object.fromEntries(
    declarations.filter((name) => name !== "slowCalls").map((name) => [name, none]),
  );
  const { rules } = await runConformance(createManifest(createTool(), { without }));
  expect(rules.filter(({ status }) => status === "failed")).toMatchObject([
    {
      id: "TW-MANIFEST-001",
      message:
        'The manifest does not declare samples.slowCalls, so rules that need it are not checked: declare it, or give the reason in "without".',
    },
  ]);
  expect(rules.find(({ id }) => id === "TW-CANCEL-002")).toMatchObject({
    status: "not-applicable",
    message: "The manifest does not declare slowCalls: see TW-MANIFEST-001.",
  });
});

test("the rules for sources are not applicable to a list of tools", async () => {
  expect(await rule("TW-LIFE-003", createManifest(createTool()))).toMatchObject({
    status: "not-applicable",
    message: "create() returns a list of tools, not a source.",
  });
});

test("a known failure does not count as failed", async () => {
  const manifest = createManifest(createTool({ description: "" }), {
    knownFailing: { "TW-SPEC-003": "issue 12" },
  });
  const report = await runConformance(manifest);
  expect(report).toMatchObject({ ok: true, failed: 0, knownFailing: 1 });
  expect(report.rules.find(({ id }) => id === "TW-SPEC-003")).toMatchObject({
    status: "known-failing",
    message: '"ping" has no description.',
  });
});

test("a known failure that holds fails", async () => {
  const manifest = createManifest(createTool(), { knownFailing: { "TW-SPEC-003": "issue 12" } });
  const report = await runConformance(manifest);
  expect(report.ok).toBe(false);
  expect(report.rules.filter(({ status }) => status === "failed")).toMatchObject([
    {
      id: "TW-SPEC-003",
      message:
        "TW-SPEC-003 is listed in knownFailing (issue 12) but does not fail: remove it from the list.",
    },
  ]);
});

test("a subject that cannot be created fails one rule, and the others do not apply", async () => {
  const manifest = createManifest(createTool(), {
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
    message: "There is no subject to check: see TW-LIFE-001.",
  });
});

test("a subject that cannot be created again fails one rule, and the others refer to it", async () => {
  let left = 2;
  const create = (): Tool[] => {
    if (--left < 0) {
      throw new Error("too many", { cause: new Error("10 connections are open") });
    }
    return [createTool()];
  };
  const { rules } = await runConformance({ ...createManifest(createTool()), create }, { seed: 1 });
  const failures = rules.filter(({ status }) => status === "failed");
  expect(failures.map(({ message, seen }) => ({ message, seen }))).toEqual([
    {
      message: "A first subject became ready, but another one does not.",
      seen: "Error: too many Caused by Error: 10 connections are open",
    },
  ]);
  const gone = `The subject could not be created again: see ${failures[0]?.id}.`;
  expect(rules.some(({ message }) => message === gone)).toBe(true);
});

test("a tool that a registry does not accept fails the rule about the reason, and no rule about its calls", async () => {
  const { annotations: _, ...spec } = createTool().spec;
  const calls = [{ tool: "ping", arguments: {} }];
  const { rules } = await runConformance({
    ...createManifest({ ...createTool(), spec } as Tool),
    samples: { succeedingCalls: calls, failingCalls: calls, slowCalls: calls },
  });
  expect(rules.filter(({ status }) => status === "failed").map(({ id }) => id)).toEqual([
    "TW-SPEC-008",
  ]);
  expect(rules.find(({ id }) => id === "TW-CALL-002")).toMatchObject({
    status: "not-applicable",
    message: 'A registry does not accept "ping": see the rules about its spec and its name.',
  });
});

test("no report contains the secrets of the manifest", async () => {
  const create = (): Tool[] => {
    throw new Error("the key k-55-quiet-river is wrong");
  };
  const manifest = { ...createManifest(createTool()), create, secrets: ["k-55-quiet-river"] };
  expect(await rule("TW-LIFE-001", manifest)).toMatchObject({
    seen: "Error: the key [the secret] is wrong",
  });
});

test("the error of a subject that does not become ready is reported with its causes", async () => {
  const create = (): Tool[] => {
    throw new Error("fetch failed", { cause: new Error("connection refused") });
  };
  expect(await rule("TW-LIFE-001", { ...createManifest(createTool()), create })).toMatchObject({
    seen: "Error: fetch failed Caused by Error: connection refused",
  });
});

test("every created source is closed", async () => {
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

test("tools are only invoked by sample calls", async () => {
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
  await runConformance(createManifest(tool));
  expect(invoked).toBe(0);
});

test("of many tools some are called, and the report contains their number", async () => {
  const tools = Array.from({ length: 60 }, (_, index) => createTool({ name: `ping_${index}` }));
  const result = await rule("TW-CALL-001", createManifest(createTool(), { create: () => tools }));
  expect(result?.message).toBe(
    "Called 40 of 60 tools with arguments that violate their schemas (40 in all).",
  );
});

test("a preflight that never ends is awaited once", async () => {
  let asked = 0;
  const tool: Tool = {
    ...createTool(),
    spec: { ...createTool().spec, annotations: { readOnlyHint: true } },
    preflight: () => {
      asked += 1;
      return new Promise(() => {});
    },
  };
  const { rules } = await runConformance(createManifest(tool), { deadlineMs: 20, only: ["PERM"] });
  expect(rules.filter(({ status }) => status === "failed")).toMatchObject([
    { id: "TW-PERM-006", seen: '"ping": Error: preflight took more than 20 ms' },
  ]);
  expect(asked).toBe(1);
});

test.each<[what: string, samples: Manifest["samples"], id: string, message: string]>([
  [
    "an effect that cannot be counted",
    { effectCalls: [{ tool: "ping", arguments: {}, count: () => 0 }] },
    "TW-CANCEL-001",
    "ping({}) has no effect that count() reports, so that the sample proves nothing.",
  ],
  [
    "a slow call that is quick",
    { slowCalls: [{ tool: "ping", arguments: {} }] },
    "TW-CANCEL-002",
    "ping({}) was cancelled, but does not end with cancelled.",
  ],
  [
    "a failing call that succeeds",
    { failingCalls: [{ tool: "ping", arguments: {} }] },
    "TW-ERROR-001",
    "ping({}) should fail but does not: throw a ToolError.",
  ],
  [
    "a call of a missing tool",
    { succeedingCalls: [{ tool: "pong", arguments: {} }] },
    "TW-CALL-002",
    "pong({}) should succeed but does not.",
  ],
])("sample calls with %s are reported", async (_, samples, id, message) => {
  const manifest = createManifest(createTool(), { samples: samples ?? {}, without: {} });
  expect(await rule(id, manifest)).toMatchObject({ status: "failed", message });
});

test("generated calls of a missing tool are reported", async () => {
  const manifest = createManifest(createTool(), { generatedCalls: ["ping", "pong"] });
  expect(await rule("TW-CALL-009", manifest)).toMatchObject({
    status: "failed",
    message: "generatedCalls names pong, but there is no such tool.",
  });
});

test("a spec that nests infinitely fails one rule for specs", async () => {
  const deep = (): object => ({
    get properties() {
      return { a: deep() };
    },
  });
  const spec = { ...createTool().spec, inputSchema: deep() as never };
  const manifest = createManifest({ ...createTool(), spec });
  const { rules } = await runConformance(manifest, { seed: 1, only: ["SPEC"] });
  const failed = rules.filter(({ status }) => status === "failed");
  expect(failed.map(({ id }) => id)).toEqual(["TW-SPEC-001"]);
});

test("only the selected rules and the rules that they build on are checked", async () => {
  const { rules, complete } = await runConformance(createManifest(createTool()), {
    only: ["TW-SPEC-003", "name"],
  });
  const ids = rules.map(({ id }) => id);
  expect(ids[0]).toBe("TW-LIFE-001");
  expect(ids).toContain("TW-SPEC-003");
  expect(ids).toContain("TW-NAME-001");
  expect(ids).not.toContain("TW-CALL-001");
  expect(complete).toBe(false);
});

test("the replay options of a failed rule reproduce the failure", async () => {
  const manifest = createManifest(createTool({ description: "" }));
  const failed = await rule("TW-SPEC-003", manifest);
  const { rules } = await runConformance(manifest, failed?.replay ?? {});
  expect(rules.filter(({ status }) => status === "failed")).toMatchObject([
    { id: "TW-SPEC-003", seen: failed?.seen },
  ]);
});

test("an unknown rule or area is rejected with a suggestion", async () => {
  await expect(
    runConformance(createManifest(createTool()), { only: ["SPCE"] }),
  ).rejects.toMatchObject({
    code: "invalid_configuration",
    message: 'There is no rule or area "SPCE". Did you mean SPEC?',
  });
});

test("every result is reported as soon as its rule is done", async () => {
  const reported: unknown[] = [];
  const { rules } = await runConformance(createManifest(createTool()), {
    only: ["NAME"],
    onResult: ({ id }, { done, of }) => reported.push([id, done, of]),
  });
  expect(reported).toEqual(rules.map(({ id }, index) => [id, index + 1, rules.length]));
});

test("an aborted run closes all subjects and rejects with the reason", async () => {
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
  const manifest = createManifest(stuck, {
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

test("a run that is aborted before it starts creates nothing", async () => {
  let made = 0;
  const manifest = createManifest(createTool(), {
    create: () => {
      made += 1;
      return [createTool()];
    },
  });
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(runConformance(manifest, { signal })).rejects.toThrow("enough");
  expect(made).toBe(0);
});
