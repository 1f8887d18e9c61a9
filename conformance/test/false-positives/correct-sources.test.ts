import { defineTool, ToolError, type Tool } from "@toolweave/core";
import { expect, test } from "vitest";
import { runConformance, type Manifest, type SampleCalls } from "../../src/index.ts";

/** The failed rules for correct but unusual tools. */
async function failedRules(
  tools: readonly Tool[],
  samples: SampleCalls,
  more: Partial<Manifest> = {},
): Promise<readonly string[]> {
  const manifest: Manifest = { name: "good", create: () => tools, samples, ...more };
  const { rules } = await runConformance(
    { ...manifest, without: "there is no more" },
    { seed: 1, quietMs: 10 },
  );
  return rules.flatMap(({ status, id, message }) => (status === "failed" ? [id, message] : []));
}

const word = { word: { type: "string", description: "What to say." } } as const;

test("a tool that limits concurrent calls is called again later", async () => {
  let left = 5;
  const limited = defineTool({
    name: "say",
    description: "Say a word on the stage.",
    input: { type: "object", properties: word, required: ["word"] },
    execute: (args) => {
      if (left === 0) {
        // A moment later there is room again.
        setTimeout(() => (left = 5), 5).unref();
        throw new ToolError("rate_limited", "There were too many: call again in a moment.");
      }
      left -= 1;
      return String(args.word);
    },
  });
  const succeedingCalls = [
    { tool: "say", arguments: { word: "one" } },
    { tool: "say", arguments: { word: "two" } },
  ];
  expect(await failedRules([limited], { succeedingCalls })).toEqual([]);
});

test("an effect may become visible shortly after its call", async () => {
  let written = 0;
  let seen = 0;
  const append = defineTool({
    name: "append",
    description: "Append a word to the log, which is copied elsewhere.",
    input: { type: "object", properties: word, required: ["word"] },
    annotations: { destructiveHint: false },
    execute: () => {
      written += 1;
      setTimeout(() => (seen += 1), 25).unref();
      return "appended";
    },
  });
  const effectCalls = [{ tool: "append", arguments: { word: "one" }, count: () => seen }];
  expect(await failedRules([append], { effectCalls })).toEqual([]);
  expect(written).toBeGreaterThan(0);
});

test("a tool may keep one timer, and return different results to each caller", async () => {
  let idle: NodeJS.Timeout | undefined;
  const greet = defineTool({
    name: "greet",
    description: "Greet the caller.",
    input: { type: "object" },
    execute: (_, { caller }) => {
      clearTimeout(idle);
      idle = setTimeout(() => {}, 100);
      return `hello ${caller?.id ?? "you"}`;
    },
  });
  expect(
    await failedRules([greet], { succeedingCalls: [{ tool: "greet", arguments: {} }] }),
  ).toEqual([]);
  clearTimeout(idle);
});

test("a tool may write to standard error and read the injected values", async () => {
  const search = defineTool({
    name: "search",
    description: "Search the shelf of the host.",
    input: { type: "object" },
    injected: [{ name: "tenant", required: true }],
    execute: (_, { injected }) => {
      const { tenant } = { ...(injected as { readonly tenant: string }) };
      process.stderr.write("");
      return tenant;
    },
  });
  const calls = { succeedingCalls: [{ tool: "search", arguments: {} }] };
  expect(await failedRules([search], calls, { injected: { tenant: "t1", trace: "on" } })).toEqual(
    [],
  );
});
