import { run } from "@openai/agents-core";
import {
  defineTool,
  ToolExecutor,
  ToolRegistry,
  type PolicyInput,
  type Tool,
} from "@toolweave/core";
import { isSameNumber } from "@toolweave/core/adapter";
import { checkNumbers, numberTool } from "@toolweave/test-support/numbers";
import { expect, it } from "vitest";
import { agentTools } from "../src/index.ts";
import { call, say, scripted, textsRead } from "./support/agents.ts";

/** An executor with a tool that accepts a bigint. */
function keeping(got: unknown[], policy: PolicyInput = "autonomous"): ToolExecutor {
  const input = { type: "object", properties: { id: { type: "integer" } } } as const;
  const keep = defineTool({
    name: "keep",
    description: "Keep an id.",
    input,
    execute: ({ id }) => {
      got.push(String(id));
      return "kept";
    },
  }) as Tool;
  const registry = new ToolRegistry([{ ...keep, acceptsBigint: true }]);
  return new ToolExecutor({ registry, policy });
}

it("a number arrives as it was written, or is refused with a remedy", async () => {
  const { definition, received } = numberTool();
  const keep = { ...defineTool(definition as never), acceptsBigint: true };
  const tools = await agentTools(new ToolExecutor({ registry: new ToolRegistry([keep]) }));
  const counts = await checkNumbers(
    {
      isParsed: false,
      async call(calls) {
        const { agent, model } = scripted(
          tools,
          calls.map(({ id, json }) => call(id, "keep", json)),
          say("done"),
        );
        await run(agent, "go");
        return textsRead(model);
      },
    },
    received,
    isSameNumber,
  );
  expect(counts.exact).toBeGreaterThan(counts.refused);
});

it("a fraction that the SDK rounds is refused, with the number to send", async () => {
  const got: unknown[] = [];
  const { agent, model } = scripted(
    await agentTools(keeping(got)),
    [call("c1", "keep", '{"id":52.5200065999999987}')],
    say("done"),
  );
  await run(agent, "go");
  expect(textsRead(model)["c1"]).toContain("send 52.5200066 instead");
  expect(got).toEqual([]);
});

it("an integer that the SDK rounds is not displayed to a person: its text is", async () => {
  const got: unknown[] = [];
  const { agent, model } = scripted(
    await agentTools(keeping(got, { rules: [{ effect: "ask" }] })),
    [call("c1", "keep", '{"id":9007199254740993}')],
    [call("c2", "keep", '{"id":"9007199254740993"}')],
  );
  const { interruptions } = await run(agent, "go");
  expect(textsRead(model)["c1"]).toContain("send integers beyond 2^53 as texts, in quotes");
  expect(interruptions.map(({ arguments: args }) => args)).toEqual(['{"id":"9007199254740993"}']);
  expect(got).toEqual([]);
});
