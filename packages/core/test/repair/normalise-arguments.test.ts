import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonSchema, ToolDefinition } from "@toolweave/core";
import { call, executorFor, foreignTool, recorded, tool } from "../support/executor-for.ts";
import { completed, failed, getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const input = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city"],
  additionalProperties: false,
} as const;

/** The tool's arguments, or the error's code. */
async function received(
  sent: string | JsonObject,
  more: Partial<ToolDefinition<JsonSchema>> = {},
  normaliseArguments = true,
): Promise<JsonObject | string> {
  let got: JsonObject | undefined;
  const executor = executorFor(
    tool("t", (args) => void (got = args), { input, ...more }),
    {
      normaliseArguments,
    },
  );
  const outcome = await executor.execute(call("t", sent));
  return got ?? failed(outcome).error.code;
}

const args = { city: "Oslo", days: 2 };
const json = JSON.stringify(args);

describe("F0.10 arguments that models wrap", () => {
  test.each<[string, string | JsonObject]>([
    ["in a JSON text of the JSON", JSON.stringify(json)],
    ["in two of them", JSON.stringify(JSON.stringify(json))],
    ["in a code fence", `\`\`\`json\n${json}\n\`\`\``],
    ["in a code fence on one line", `\`\`\`${json}\`\`\``],
    ["in a code fence with space around", `\n \`\`\`JSON ${json} \`\`\` \n`],
    ["in a text of a code fence", JSON.stringify(`\`\`\`json\n${json}\n\`\`\``)],
    ...["properties", "arguments", "args", "parameters", "params", "param", "input"].flatMap(
      (envelope): [string, string | JsonObject][] => [
        [`in ${envelope}`, { [envelope]: args }],
        [`in ${envelope}, as a text of the whole`, JSON.stringify({ [envelope]: args })],
        [`in ${envelope}, as a text within`, { [envelope]: json }],
      ],
    ),
    ["in two envelopes", { parameters: { arguments: args } }],
  ])("%s are unwrapped, if the host enables that", async (_, sent) => {
    expect(await received(sent)).toEqual(args);
    expect(await received(sent, {}, false)).toBe("invalid_arguments");
  });

  test.each<[string, string | JsonObject]>([
    ["are not valid once they are unwrapped", { arguments: { days: 2 } }],
    ["are wrapped in an unknown property", { payload: args }],
    ["are beside another property, which would get lost", { arguments: args, name: "t" }],
    ["are wrapped in a list", `[${json}]`],
    ["are wrapped without end", wrapped(9)],
    ["are an empty code fence", "``````"],
    ["are an empty text", '""'],
    ["are not JSON in their fence", "```json\n{city: 'Oslo'}\n```"],
    ["are malformed", '{"city":"Oslo"'],
    ["are null", "null"],
  ])("F0.12 that %s stay an error, and never become {}", async (_, sent) => {
    expect(await received(sent)).toBe("invalid_arguments");
  });

  test("are unchanged if they are valid as they were sent", async () => {
    const sent = { arguments: args };
    expect(await received(sent, { input: { type: "object" } })).toEqual(sent);
  });

  test("are unchanged if the tool itself has an argument of that name", async () => {
    const own: JsonSchema = {
      type: "object",
      properties: { input: { type: "object", required: ["x"] }, city: { type: "string" } },
    };
    expect(await received({ input: { city: "Oslo" } }, { input: own })).toBe("invalid_arguments");
    expect(
      await received({ args: { city: "Oslo" } }, { input: { ...own, required: ["city"] } }),
    ).toEqual({
      city: "Oslo",
    });
  });

  test("are distinguished from those that the tool's own check refuses", async () => {
    const source = new TestSource("s", [
      foreignTool("t", {
        spec: { inputSchema: input },
        validate: async ({ city }) =>
          city === "Atlantis" ? [{ path: "/city", message: "does not exist" }] : undefined,
      }),
    ]);
    const executor = executorFor(source, { policy: "autonomous", normaliseArguments: true });
    completed(await executor.execute(call("t", { arguments: { city: "Oslo" } })));
    const { error } = failed(
      await executor.execute(call("t", { arguments: { city: "Atlantis" } })),
    );
    expect(error.code).toBe("invalid_arguments");
    expect(error.message).toContain("arguments is not a known property");
  });

  test("cause the error for the sent arguments, if they cannot be repaired", async () => {
    const run = (normaliseArguments: boolean, sent: string | JsonObject) =>
      executorFor(tool("t", undefined, { input }), { normaliseArguments }).execute(call("t", sent));
    for (const sent of ["{", { params: { days: 1 } }, { city: 5 }] as const) {
      const [repaired, plain] = [failed(await run(true, sent)), failed(await run(false, sent))];
      expect(repaired.error.message).toBe(plain.error.message);
    }
  });
});

describe("injected values", () => {
  const injected = {
    injected: [{ name: "tenant", required: false }],
    input: { ...input, additionalProperties: true },
  };

  test("AR01 that a model wraps are discarded, too, and recorded", async () => {
    const got: unknown[] = [];
    const executor = executorFor(
      tool("t", (args) => void got.push(args), injected),
      {
        normaliseArguments: true,
      },
    );
    const events = recorded(executor);
    completed(await executor.execute(call("t", { arguments: { ...args, tenant: "other" } })));
    expect(got).toEqual([args]);
    expect(events.find(({ type }) => type === "tool.started")).toMatchObject({
      discarded: ["tenant"],
    });
  });

  test("are not recorded for a wrapping that was not used", async () => {
    const executor = executorFor(tool("t", undefined, injected), { normaliseArguments: true });
    const events = recorded(executor);
    failed(await executor.execute(call("t", { arguments: { tenant: "other" } })));
    completed(await executor.execute(call("t", args)));
    expect(JSON.stringify(events)).not.toContain("discarded");
  });
});

test("a call that waits for a person displays its unwrapped arguments, and is resumed with them", async () => {
  const got: unknown[] = [];
  const executor = executorFor(
    tool("t", (args) => void got.push(args), { input, needsApproval: true }),
    { normaliseArguments: true },
  );
  const interruption = getInterruption(await executor.execute(call("t", { arguments: json })));
  expect(interruption.call.arguments).toEqual(args);
  completed(await executor.resume(interruption, [{ type: "approve" }]));
  expect(got).toEqual([args]);
});

test("no input of a model makes the executor throw, or a tool receive invalid arguments", async () => {
  const got: JsonObject[] = [];
  const executor = executorFor(
    tool("t", (args) => void got.push(args), { input }),
    {
      normaliseArguments: true,
    },
  );
  const envelope = fc.constantFrom("arguments", "input", "__proto__", "constructor", "x");
  const { sent } = fc.letrec((tie) => ({
    sent: fc.oneof(
      { depthSize: "small" },
      fc.jsonValue(),
      fc.constant(args),
      fc.record({ city: fc.string() }),
      tie("sent").map((inner) => JSON.stringify(inner)),
      tie("sent").map((inner) => `\`\`\`json\n${JSON.stringify(inner)}\n\`\`\``),
      fc
        .tuple(envelope, tie("sent"))
        .map(([name, inner]) => JSON.parse(`{"${name}":${JSON.stringify(inner)}}`) as unknown),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(sent, async (value) => {
      got.length = 0;
      const outcome = await executor.execute(call("t", value as never));
      expect(got).toHaveLength(outcome.status === "completed" ? 1 : 0);
      for (const { city, days, ...rest } of got) {
        expect([typeof city, rest]).toEqual(["string", {}]);
        expect(days === undefined || Number.isInteger(days)).toBe(true);
      }
    }),
  );
});

/** Arguments in the given number of envelopes. */
function wrapped(layers: number): JsonObject {
  let value: JsonObject = args;
  for (let layer = 0; layer < layers; layer++) value = { arguments: value };
  return value;
}
