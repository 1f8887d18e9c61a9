import { expectTypeOf, test } from "vitest";
import {
  subAgentTool,
  type AgentResult,
  type RunAgentOptions,
  type SubAgentOptions,
} from "@toolweave/subagent";

declare const model: RunAgentOptions["model"];
const common = { name: "a", description: "A.", system: "A.", model, tools: [] };

test("a prompt receives the values of the input schema", () => {
  subAgentTool({
    ...common,
    input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    prompt: (input) => {
      expectTypeOf(input.n).toEqualTypeOf<number>();
      return "";
    },
  });
  subAgentTool({ ...common, prompt: ({ task }) => task.trim() });
});

test("a sub-agent accepts no policy that can loosen, and needs its tools named", () => {
  // @ts-expect-error: it allows everything
  subAgentTool({ ...common, policy: "autonomous" });
  // @ts-expect-error: it could not be kept with a call that waits
  subAgentTool({ ...common, policy: () => "deny" });
  const { tools, ...without } = common;
  expectTypeOf(tools).toBeArray();
  // @ts-expect-error: no tools
  subAgentTool(without);
  expectTypeOf<SubAgentOptions>().not.toHaveProperty("hooks");
});

test("a result has the fields of its status", () => {
  type Interrupted = Extract<AgentResult, { status: "interrupted" }>;
  expectTypeOf<Interrupted["state"]["version"]>().toEqualTypeOf<1>();
  expectTypeOf<AgentResult>().not.toHaveProperty("state");
  expectTypeOf<AgentResult>().toHaveProperty("text");
});
