import { defineTool, suspend, ToolError, type JsonObject, type Tool } from "@toolweave/core";
import { expect, test } from "vitest";
import { runConformance, type Manifest } from "../../src/index.ts";

const areas = ["PERM", "PURE", "SUSPEND", "EVENT", "VIEW", "TW-CANCEL-001"];

/** The ids of the rules that such a tool breaks. */
async function broken(tool: Tool, samples: Manifest["samples"] = {}): Promise<string[]> {
  const manifest: Manifest = {
    name: "a good tool",
    create: () => [tool],
    samples,
    without: Object.fromEntries(
      ["succeedingCalls", "effectCalls", "suspendingCalls", "updatingCalls"]
        .filter((kind) => !Object.hasOwn(samples, kind))
        .concat("failingCalls", "slowCalls", "largeCalls", "generatedCalls")
        .concat("state", "secrets", "change", "outage")
        .map((kind) => [kind, "not needed"]),
    ),
  };
  const { rules } = await runConformance(manifest, { seed: 1, only: areas });
  return rules.filter(({ status }) => status === "failed").map(({ id }) => id);
}

function proposing(preflight: NonNullable<Tool["preflight"]>): Tool {
  return {
    ...defineTool({
      name: "fetch_page",
      description: "Fetch a page of the web.",
      input: { type: "object", properties: { url: { type: "string" } }, required: ["url"] },
      execute: () => "a page",
    }),
    preflight,
  };
}

test.each<[what: string, preflight: NonNullable<Tool["preflight"]>]>([
  [
    "refuses a value that is not a URL",
    ({ url }) => [
      { kind: "network", target: new URL(String(url)).origin, summary: "Fetch a page" },
    ],
  ],
  [
    "refuses by an error of its own",
    ({ url }) => {
      throw new ToolError("permission_denied", `${String(url)} is not to be fetched.`);
    },
  ],
  [
    "names the method beside the URL, as operations of HTTP do",
    () => [{ kind: "network", target: "GET https://example.com/page", summary: "Fetch a page" }],
  ],
  [
    "proposes a kind of its own",
    () => [{ kind: "custom.browse", target: "the web", summary: "Fetch a page" }],
  ],
  ["proposes nothing", () => []],
])("a preflight that %s breaks no rule", async (_, preflight) => {
  expect(await broken(proposing(preflight))).toEqual([]);
});

test.each(["call", "run"])("a result that contains its %s breaks no rule", async (part) => {
  const tool = defineTool({
    name: "describe_call",
    description: "Return how it was called.",
    input: { type: "object" },
    execute: (_, { callId, toolName, runId }) =>
      part === "call" ? `${callId} of ${toolName}` : runId,
  });
  const succeedingCalls = [{ tool: "describe_call", arguments: {} }];
  expect(await broken(tool, { succeedingCalls })).toEqual([]);
});

test("an effect of three rows breaks no rule if calls are counted, not rows", async () => {
  const rows: JsonObject[] = [];
  const tool = defineTool({
    name: "add_rows",
    description: "Add three rows to the table.",
    input: { type: "object" },
    annotations: { destructiveHint: false },
    execute: () => {
      rows.push({}, {}, {});
    },
  });
  const effectCalls = [{ tool: "add_rows", arguments: {}, count: () => rows.length / 3 }];
  expect(await broken(tool, { effectCalls })).toEqual([]);
});

test("a sign-in that is requested until it succeeds breaks no rule", async () => {
  const tool: Tool = {
    spec: {
      name: "read_mail",
      description: "Read the user's mail.",
      inputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
      provenance: { adapter: "fixture" },
    },
    invoke: (_, { resumed }) => {
      const [answer] = resumed?.answers ?? [];
      if (answer === undefined) {
        const message = "Sign in to your mail.";
        const where = { url: "https://mail.example/device", userCode: "WDJB-MJHT" };
        return suspend([{ id: "mail", type: "auth", credential: "mail", message, ...where }], null);
      }
      if (answer.type !== "approve") throw new ToolError("auth_required", "There is no sign-in.");
      return "no mail";
    },
  };
  const suspendingCalls = [
    {
      tool: "read_mail",
      arguments: {},
      answer: ({ id }: { readonly id: string }) => ({ type: "approve", requestId: id }) as const,
    },
  ];
  expect(await broken(tool, { suspendingCalls })).toEqual([]);
});

test("a tool that reports its progress by the clock breaks no rule", async () => {
  let ticks = 0;
  const tool = defineTool({
    name: "wait_a_little",
    description: "Wait for a moment.",
    input: { type: "object", properties: { steps: { type: "integer" } } },
    execute: async ({ steps = 2 }, { progress, signal }) => {
      for (let done = 1; done <= steps && !signal.aborted; done++) {
        progress({ done, total: steps, message: `at tick ${(ticks += 1)}` });
        await new Promise((resolve) => setImmediate(resolve));
      }
      return "waited";
    },
  });
  const updatingCalls = [
    { tool: "wait_a_little", arguments: { steps: 2 } },
    { tool: "wait_a_little", arguments: { steps: 3 } },
  ];
  expect(await broken(tool, { updatingCalls })).toEqual([]);
});
