import { describe, expect, test } from "vitest";
import {
  assertCompleted,
  defineTool,
  filter,
  hide,
  prefix,
  rename,
  ToolExecutor,
  ToolRegistry,
  toolsSource,
  type ToolSource,
} from "@toolweave/core";

const registry = new ToolRegistry();
const tool = { name: "t", description: "d", input: { type: "object" }, execute: () => 1 } as const;

test.each([
  [
    "a misspelled option",
    () => new ToolExecutor({ registry, timeout: 5 } as never),
    /unknown option "timeout"\. Did you mean timeoutMs\?/,
  ],
  [
    "an unknown word for onAsk",
    () => new ToolExecutor({ registry, onAsk: "interupt" as never }),
    /onAsk is "interupt"; use "interrupt", "deny" or a function/,
  ],
  [
    "a boolean for onAsk",
    () => new ToolExecutor({ registry, onAsk: true as never }),
    /onAsk is true; use/,
  ],
  [
    "an unknown word for undeclaredArguments",
    () => new ToolExecutor({ registry, undeclaredArguments: "remove" as never }),
    /undeclaredArguments is "remove"; use "schema", "strip" or "reject"/,
  ],
  [
    "a number in text",
    () => new ToolExecutor({ registry, timeoutMs: "100" as never }),
    /timeoutMs is "100"; use 0 or more/,
  ],
  [
    "a wait in text",
    () => new ToolExecutor({ registry, retry: { attempts: 2, initialDelayMs: "5" as never } }),
    /retry\.initialDelayMs is "5"/,
  ],
  ["no registry", () => new ToolExecutor({} as never), /registry is missing; use registry: new/],
  ["the registry itself", () => new ToolExecutor(registry as never), /registry/],
  ["nothing", () => new ToolExecutor(undefined as never), /takes an object/],
  [
    "a value that is not a tool",
    () => new ToolRegistry([() => 1] as never),
    /takes tools, sources and lists/,
  ],
  [
    "a function in place of a tool",
    () => new ToolRegistry([() => 1] as never),
    /a function is no tool\. Make it one with defineTool\.$/,
  ],
  [
    "a URL in place of a source",
    () => new ToolRegistry(["http://x/openapi.json"] as never),
    /"http:\/\/x\/openapi\.json" is text\. openApiSource\("…"\)/,
  ],
  [
    "an object of tools in place of a list",
    () => new ToolRegistry({ t: defineTool(tool) } as never),
    /this is an object of tools\. Use Object\.values\(tools\)\.$/,
  ],
  [
    "an object that is no tool",
    () => new ToolRegistry([{ name: "t" }] as never),
    /this is an object with the members \["name"\]\. defineTool makes a tool\.$/,
  ],
  [
    "two functions with one name",
    () => new ToolRegistry([defineTool(tool), defineTool(tool)]),
    /^Two of your functions are named "t"; give one of them another name\.$/,
  ],
  [
    "a name that is not canonical",
    () => defineTool({ ...tool, name: "bad name" }),
    /"bad name" is no tool name: it must match .*, such as bad_name\.$/,
  ],
  [
    "a list of rules in place of a policy",
    () => new ToolExecutor({ registry, policy: [{ effect: "allow", tools: "x" }] as never }),
    /^policy\[0\] is a rule where a policy is expected: a list of rules is written as \{ rules: \[/,
  ],
  [
    "a registry of undefined",
    () => new ToolRegistry([null] as never),
    /takes tools, sources and lists/,
  ],
  [
    "the function under the name of another library",
    () => defineTool({ ...tool, handler: () => 1 } as never),
    /unknown option "handler"\. Did you mean execute\?/,
  ],
  [
    "the schema under the name of another library",
    () => defineTool({ ...tool, parameters: {} } as never),
    /unknown option "parameters"\. Did you mean input\?/,
  ],
  [
    "the schema of the AI SDK and MCP",
    () => defineTool({ name: "t", description: "d", inputSchema: {} } as never),
    /^t: input is missing; inputSchema is only for .+ Pass it as input: \{ type: "object"/,
  ],
  [
    "tools instead of a registry",
    () => new ToolExecutor({ tools: [] } as never),
    /unknown option "tools"\. Did you mean registry\?/,
  ],
  ["no input", () => defineTool({ name: "t", description: "d" } as never), /t: input is missing/],
  [
    "no description",
    () => defineTool({ name: "t", input: { type: "object" } } as never),
    /say in description/,
  ],
])("%s is refused, and the text has a correction", (_, misuse, message) => {
  expect(misuse).toThrow(message);
});

test("a registry accepts one tool without a list", () => {
  expect(new ToolRegistry(defineTool(tool) as never).get("t")?.spec.name).toBe("t");
});

describe("an option of a call or a run is refused", () => {
  const executor = new ToolExecutor({ registry: new ToolRegistry([defineTool(tool)]) });
  const t = { id: "1", name: "t", arguments: {} };
  const run = executor.startRun();

  test.each<[string, () => unknown, RegExp]>([
    [
      "limits that would have no effect",
      () => executor.startRun({ limit: { calls: 1 } } as never),
      /executor\.startRun: unknown option "limit"\. Did you mean limits\?/,
    ],
    [
      "a misspelled option of a run",
      () => executor.execute(t, { session: "s" } as never),
      /executor\.execute: unknown option "session"/,
    ],
    [
      "a misspelled option of a call",
      () => run.execute(t, { timeout: 5 } as never),
      /run\.execute: unknown option "timeout"\. Did you mean timeoutMs\?/,
    ],
    ["a timeout below 0", () => run.execute(t, { timeoutMs: -1 }), /timeoutMs is -1; use 0 for/],
    ["a timeout of NaN", () => executor.execute(t, { timeoutMs: NaN }), /timeoutMs is NaN/],
    [
      "a timeout in text",
      () => executor.execute(t, { timeoutMs: "5" as never }),
      /executor\.execute: timeoutMs is "5"/,
    ],
    [
      "a deadline in text",
      () => run.execute(t, { deadlineMs: "5" as never }),
      /run\.execute: deadlineMs is "5"; use a number/,
    ],
    ["an invalid signal", () => run.execute(t, { signal: {} as never }), /use an AbortSignal/],
    ["a controller", () => executor.startRun({ signal: {} as never }), /use an AbortSignal/],
    [
      "an option that resume does not have",
      () => executor.resume({} as never, [], { timeoutMs: 5 } as never),
      /executor\.resume: unknown option "timeoutMs"/,
    ],
    ["an invalid listener", () => executor.on({} as never), /executor\.on takes a function/],
  ])("%s", (_, misuse, message) => {
    expect(misuse).toThrow(message);
    expect(misuse).toThrow(expect.objectContaining({ code: "invalid_configuration" }));
  });

  test("by rejecting, if several calls are made or one is only admitted", async () => {
    await expect(run.executeAll([t], { timeoutMs: -1 })).rejects.toThrow(
      /run\.executeAll: timeout/,
    );
    await expect(run.checkAdmission(t, { timeoutMs: -1 })).rejects.toThrow(
      /run\.checkAdmission: timeoutMs is -1/,
    );
  });

  test("but an undefined option is allowed", async () => {
    const none = { timeoutMs: undefined, deadlineMs: undefined, signal: undefined };
    expect(await executor.execute(t, none)).toMatchObject({ status: "completed" });
    expect(await run.execute(t, none)).toMatchObject({ status: "completed" });
  });
});

describe("sources, combinators and outcomes of the wrong kind are refused at once", () => {
  const none = undefined as never;
  const source: ToolSource = toolsSource("own", []);
  test.each<[make: () => unknown, message: string]>([
    [() => prefix(none, "a"), "prefix takes a source"],
    [() => filter("x" as never, () => true), 'filter takes a source: "x" is text'],
    [() => filter(source, none), "filter: keep is missing; use a function."],
    [() => hide([] as never, "a"), "hide takes a source"],
    [() => hide(source, 5 as never), "hide: globs[0] is 5; use a text that is not empty."],
    [() => rename({} as never, {}), "rename takes a source"],
    [() => rename(source, none), "rename: names is missing; use an object."],
    [() => rename(source, { a: 5 as never }), "rename: names.a is 5; use a text"],
    [() => toolsSource(none, []), "toolsSource: id is missing; use a text"],
    [() => toolsSource("own", none), "toolsSource: tools is missing; use a list."],
    [() => toolsSource("own", [5 as never]), "toolsSource: tools[0] is 5; use a tool"],
    [() => assertCompleted(Promise.resolve() as never), "await executor.execute(call)"],
    [() => assertCompleted(none), "assertCompleted takes the outcome of a call"],
  ])("%s", (make, message) => {
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ code: "invalid_configuration" }));
  });

  const t = { name: "t", description: "d", input: { type: "object" } } as const;
  const idle = new ToolExecutor({ registry });
  test.each<[make: () => unknown, message: string]>([
    [
      () => defineTool({ ...t, needsApproval: "yes" as never }),
      'defineTool: needsApproval is "yes"; use',
    ],
    [() => defineTool({ ...t, title: 5 as never }), "defineTool: title is no text; use one."],
    [
      () => defineTool({ ...t, input: null as never }),
      "defineTool: input is null; use a JSON Schema",
    ],
    [
      () => defineTool({ ...t, execution: "tasks" as never }),
      'defineTool: execution is "tasks"; use',
    ],
    [
      () => defineTool({ ...t, execute: "run" as never }),
      'defineTool: execute is "run"; use a function.',
    ],
    [
      () => defineTool({ ...t, metadata: [] as never }),
      "defineTool: metadata is no object; use one.",
    ],
    [() => idle.startRun({ id: 5 as never }), "executor.startRun: id is no text; use one."],
    [() => idle.startRun({ toolset: [] as never }), "startRun: toolset has no names(); use"],
    [() => idle.startRun({ search: {} as never }), "toolSearch({"],
    [() => idle.startRun({ delegateScope: "all" as never }), 'delegateScope is "all"; use'],
    [() => new ToolRegistry([], { onProblem: 5 as never }), "onProblem is 5; use a function."],
  ])("%s", (make, message) => {
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ code: "invalid_configuration" }));
  });

  test("a list in place of options is refused", () => {
    expect(() => new ToolExecutor([] as never)).toThrow("new ToolExecutor takes an object");
  });
});
