import { defineTool, ToolError, toolsSource, type ToolSource } from "@toolweave/core";
import { expect, test } from "vitest";
import type { ProblemRow, SourceRow, Status } from "../../src/index.ts";
import manifest from "../../package.json" with { type: "json" };
import { secret, TestConsole } from "../support/test-console.ts";

const lonely = defineTool({
  name: "lonely",
  description: "Is alone.",
  input: { type: "object" },
  execute: () => "",
});

function source(id: string, changes: Partial<ToolSource> = {}): ToolSource {
  return { ...toolsSource(id, []), ...changes };
}

/** A console with a source in each state. */
async function open(): Promise<TestConsole> {
  const failing = Promise.reject<void>(new ToolError("unavailable", `No answer (${secret}).`));
  failing.catch(() => {});
  const console = new TestConsole(
    [
      toolsSource("docs", [lonely]),
      source("slow", { ready: new Promise(() => {}) }),
      source("down", { ready: failing }),
      source("half", {
        trustAnnotations: false,
        problems: [
          { subject: "GET /pets", message: "Has no schema.", pointer: "/paths/~1pets" },
          { subject: "list_pets", message: "Is too large.", severity: "warning" },
        ],
      }),
    ],
    {
      policy: [
        { name: "team", preset: "supervised", rules: [{ tools: "lonley", effect: "deny" }] },
      ],
    },
  );
  await new Promise((resolve) => setImmediate(resolve));
  return console;
}

test("the sources have their states, and the numbers of their tools and problems", async () => {
  const console = await open();
  const { body } = await console.send<{ items: SourceRow[] }>("/api/sources");
  expect(body.items).toEqual([
    { id: "host", adapter: "code", tools: 5, problems: 0, state: "ready", trusted: true },
    { id: "docs", adapter: "code", tools: 1, problems: 0, state: "ready", trusted: true },
    { id: "slow", adapter: "", tools: 0, problems: 0, state: "loading", trusted: true },
    {
      id: "down",
      adapter: "",
      tools: 0,
      problems: 1,
      state: "failed",
      message: "No answer ([redacted]).",
      trusted: true,
    },
    { id: "half", adapter: "", tools: 0, problems: 2, state: "ready", trusted: false },
  ]);
});

test("the problems are those of the registry, with their places, without secrets", async () => {
  const console = await open();
  const { body } = await console.send<{ items: ProblemRow[] }>("/api/problems");
  expect(body.items).toEqual([
    { kind: "source", source: "down", message: "No answer ([redacted]).", severity: "error" },
    {
      kind: "tool",
      source: "half",
      message: "Has no schema.",
      place: "GET /pets /paths/~1pets",
      severity: "error",
    },
    {
      kind: "tool",
      source: "half",
      message: "Is too large.",
      place: "list_pets",
      tool: "list_pets",
      severity: "warning",
    },
  ]);
});

test("the problems include configuration without an effect", async () => {
  const console = new TestConsole([lonely], {
    policy: { preset: "supervised", rules: [{ id: "typo", tools: "lonley", effect: "deny" }] },
  });
  const { body } = await console.send<{ items: ProblemRow[] }>("/api/problems");
  expect(body.items).toEqual([
    {
      kind: "configuration",
      source: "configuration",
      message: expect.stringContaining("lonley"),
      place: expect.stringContaining("rules[0]"),
      severity: "warning",
    },
  ]);
  const { policy, problems } = (await console.send<Status>("/api/status")).body;
  expect(policy.warnings).toHaveLength(1);
  expect(problems).toBe(1);
});

test("the status counts tools, problems and calls that wait, and names the policies and limits", async () => {
  const console = await open();
  const waitFor = async () => console.executor.execute({ id: "1", name: "shop", arguments: {} });
  await waitFor();
  const { body } = await console.send<Status>("/api/status");
  const { body: sources } = await console.send<{ items: SourceRow[] }>("/api/sources");
  expect(body).toEqual({
    version: manifest.version,
    sources: sources.items,
    tools: { total: console.registry.size, version: console.registry.version },
    problems: 3,
    stores: {
      pendingCalls: true,
      grants: true,
      tasks: true,
      artifacts: true,
      memory: false,
      audit: false,
      recordings: [],
      lock: false,
    },
    policy: { layers: ["team"], warnings: [] },
    waiting: 1,
    limits: { timeoutMs: 60_000, maxOutputBytes: 50_000 },
  });
});

test("a store that does not answer is 503", async () => {
  const console = new TestConsole();
  const failing = Promise.reject(new ToolError("store_unavailable", `db at ${secret}`));
  failing.catch(() => {});
  console.pendingCalls.list = () => failing;
  const { status, body } = await console.send("/api/status");
  expect([status, body["code"]]).toEqual([503, "store_unavailable"]);
  expect(JSON.stringify(body)).not.toContain(secret);
});
