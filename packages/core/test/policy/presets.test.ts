import { describe, expect, test } from "vitest";
import type {
  PermissionRequest,
  PolicyDefinition,
  PolicyPreset,
  PolicyRule,
  Tool,
  ToolAnnotations,
} from "@toolweave/core";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { TestSource } from "../support/test-source.ts";

/** The result of a call: it runs, a person is asked, it is refused, or it is not listed. */
type Effect = "runs" | "asks" | "refused" | "hidden";

async function decideEffect(
  policy: PolicyPreset | PolicyDefinition,
  inputs: Parameters<typeof executorFor>[0],
): Promise<Effect> {
  const executor = executorFor(inputs, { policy });
  const outcome = await executor.execute(call("t"));
  if (outcome.status === "interrupted") return "asks";
  if (outcome.status === "completed") return "runs";
  return outcome.error.code === "not_advertised" ? "hidden" : "refused";
}

const from = (adapter: string, annotations: ToolAnnotations, proposes?: readonly string[]): Tool =>
  foreignTool("t", {
    spec: { annotations, provenance: { adapter } },
    ...(proposes === undefined
      ? {}
      : {
          preflight: () =>
            proposes.map((kind): PermissionRequest => ({ kind, target: "x", summary: kind })),
        }),
  });

const read = { readOnlyHint: true };
const destroys = { destructiveHint: true };
const safe = { destructiveHint: false };
const asks = { needsApprovalHint: true };

// One line each: annotations, their author, and the results of the presets.
type Row = [
  string,
  ToolAnnotations,
  readOnly: Effect,
  supervised: Effect,
  autonomous: Effect,
  strict: Effect,
];
const rows: Record<"own" | "trusted" | "untrusted", Row[]> = {
  own: [
    ["no annotations", {}, "hidden", "runs", "runs", "hidden"],
    ["reading", read, "runs", "runs", "runs", "runs"],
    ["destructive", destroys, "hidden", "asks", "runs", "hidden"],
    ["not destructive", safe, "hidden", "runs", "runs", "asks"],
    ["needing approval", asks, "hidden", "asks", "asks", "hidden"],
    ["reading and needing approval", { ...read, ...asks }, "asks", "asks", "asks", "asks"],
    ["reading and destructive", { ...read, ...destroys }, "hidden", "runs", "runs", "runs"],
    ["spending", { ...safe, access: { spend: true } }, "hidden", "runs", "runs", "hidden"],
  ],
  trusted: [
    ["no annotations", {}, "hidden", "asks", "runs", "hidden"],
    ["reading", read, "runs", "runs", "runs", "runs"],
    ["destructive", destroys, "hidden", "asks", "runs", "hidden"],
    ["not destructive", safe, "hidden", "asks", "runs", "asks"],
    ["needing approval", asks, "hidden", "asks", "asks", "hidden"],
    ["reading and needing approval", { ...read, ...asks }, "asks", "asks", "asks", "asks"],
    [
      "not destructive and needing approval",
      { ...safe, ...asks },
      "hidden",
      "asks",
      "asks",
      "asks",
    ],
    ["spending", { ...safe, access: { spend: true } }, "hidden", "asks", "runs", "hidden"],
  ],
  untrusted: [
    ["no annotations", {}, "hidden", "asks", "runs", "hidden"],
    ["claiming to read", read, "hidden", "asks", "runs", "hidden"],
    ["claiming not to destroy", safe, "hidden", "asks", "runs", "hidden"],
    ["destructive", destroys, "hidden", "asks", "runs", "hidden"],
    ["claiming to need approval", asks, "hidden", "asks", "runs", "hidden"],
    [
      "claiming everything",
      { ...read, ...safe, idempotentHint: true, openWorldHint: false },
      "hidden",
      "asks",
      "runs",
      "hidden",
    ],
  ],
};
const presets = ["readOnly", "supervised", "autonomous", "strict"] as const;

describe.each(Object.entries(rows))(
  "a tool of the host's own code or another source (%s)",
  (whose, rows) => {
    for (const [annotated, annotations, ...effects] of rows) {
      test.each(presets.map((preset, at) => [preset, effects[at]] as const))(
        `with annotations: ${annotated}, under %s: %s`,
        async (preset, effect) => {
          const inputs =
            whose === "own"
              ? from("code", annotations)
              : new TestSource("s", [from("mcp", annotations)], { trusted: whose === "trusted" });
          expect(await decideEffect(preset, inputs)).toBe(effect);
        },
      );
    }
  },
);

describe("hints are claims", () => {
  test("a source that declares its tools as the host's own gains nothing by it", async () => {
    expect(await decideEffect("supervised", new TestSource("s", [from("code", read)]))).toBe(
      "asks",
    );
  });

  test("of an untrusted source can only tighten", async () => {
    const loose = [{}, read, safe, { ...read, ...safe }, { openWorldHint: false }];
    for (const annotations of loose) {
      for (const preset of ["readOnly", "supervised", "strict"] as const) {
        const effect = await decideEffect(preset, new TestSource("s", [from("mcp", annotations)]));
        expect(["asks", "hidden"]).toContain(effect);
      }
    }
  });
});

// The permissions that trusted tools propose: [description, kinds] → the presets, for a read-only
// and for another tool.
const proposals: [readonly string[], reading: readonly Effect[], other: readonly Effect[]][] = [
  [[], ["runs", "runs", "runs", "runs"], ["hidden", "asks", "runs", "asks"]],
  [["network"], ["runs", "runs", "runs", "runs"], ["hidden", "asks", "runs", "asks"]],
  [["fs.read"], ["runs", "runs", "runs", "asks"], ["hidden", "runs", "runs", "asks"]],
  [["delegate"], ["runs", "runs", "runs", "asks"], ["hidden", "runs", "runs", "asks"]],
  [["fs.write"], ["refused", "asks", "runs", "asks"], ["hidden", "asks", "runs", "asks"]],
  [["process"], ["refused", "asks", "runs", "asks"], ["hidden", "asks", "runs", "asks"]],
  [["spend"], ["refused", "asks", "runs", "refused"], ["hidden", "asks", "runs", "refused"]],
  [["custom.anything"], ["refused", "asks", "runs", "asks"], ["hidden", "asks", "runs", "asks"]],
  [
    ["fs.read", "fs.write"],
    ["refused", "asks", "runs", "asks"],
    ["hidden", "asks", "runs", "asks"],
  ],
];

describe("the permissions that a trusted tool proposes", () => {
  for (const [kinds, reading, other] of proposals) {
    test.each(presets.map((preset, at) => [preset, reading[at], other[at]] as const))(
      `[${kinds.join(", ")}] under %s: a read-only tool %s, another %s`,
      async (preset, ofReading, ofOther) => {
        const source = (annotations: ToolAnnotations): TestSource =>
          new TestSource("s", [from("mcp", annotations, kinds)], { trusted: true });
        expect(await decideEffect(preset, source(read))).toBe(ofReading);
        expect(await decideEffect(preset, source(safe))).toBe(ofOther);
      },
    );
  }
});

test("every decision names its rule", async () => {
  const reasons = await Promise.all(
    presets.map(async (policy) => {
      const executor = executorFor(tool("t", undefined, { annotations: read }), { policy });
      let reason = "";
      executor.on((event) => {
        if (event.type === "tool.authorized") reason = event.reason;
      });
      await executor.execute(call("t"));
      return reason;
    }),
  );
  expect(reasons).toEqual([
    "readOnly: reads run",
    "supervised: your own functions run",
    "autonomous: everything runs",
    "strict: reads run",
  ]);
});

describe("the remedy of a decision that stops a call", () => {
  const stopping = Object.entries(rows).flatMap(([whose, annotated]) =>
    annotated.flatMap(([name, annotations, ...effects]) =>
      presets
        .filter((_, at) => effects[at] !== "runs")
        .map((preset) => [whose, name, preset, annotations] as const),
    ),
  );
  const createSource = (whose: string, annotations: ToolAnnotations): TestSource =>
    new TestSource("s", [from(whose === "own" ? "code" : "mcp", annotations)], {
      trusted: whose !== "untrusted",
    });
  const findRemedy = async (inputs: TestSource, policy: PolicyDefinition): Promise<string> => {
    const { requests } = await executorFor(inputs, { policy }).explain({ name: "t" });
    return requests[0]?.remedy ?? "none";
  };

  test.each(stopping)(
    "of a tool (%s, %s) under %s is a rule that lets the call run",
    async (whose, _, preset, annotations) => {
      const source = createSource(whose, annotations);
      const remedy = await findRemedy(source, { name: "shop", preset });
      const [, rule = ""] = /Add (\{.*\}) to the rules of the policy "shop"\.$/.exec(remedy) ?? [];
      const rules = [JSON.parse(rule) as PolicyRule];
      expect(await decideEffect({ preset, rules }, source)).toBe("runs");
    },
  );

  test.each(["readOnly", "supervised", "strict"] as const)(
    "of an untrusted read-only hint under %s is to trust the source",
    async (preset) => {
      expect(await findRemedy(createSource("untrusted", read), { preset })).toMatch(
        /^`trustAnnotations: true` for the tool's source/,
      );
      expect(await decideEffect(preset, createSource("trusted", read))).toBe("runs");
    },
  );

  test("reaches the person who is asked", async () => {
    const executor = executorFor(createSource("untrusted", read), { policy: "supervised" });
    const outcome = await executor.execute(call("t"));
    expect(outcome.interruption?.requests).toMatchObject([
      {
        reason: "supervised: its read-only hint is not trusted",
        remedy: expect.stringContaining("trustAnnotations"),
      },
    ]);
  });
});
