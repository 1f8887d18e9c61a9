import { defineTool, ToolExecutor, ToolRegistry, type Tool } from "@toolweave/core";
import { expect, it } from "vitest";
import { langchainTools } from "../src/index.ts";

/** An executor with a tool that accepts a bigint. */
function keeping(got: unknown[]): ToolExecutor {
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
  return new ToolExecutor({ registry, policy: "autonomous" });
}

const long = [
  "9007199254740993",
  "725653563933458432",
  "-9007199254740995",
  "36893488147419103232",
];

it.each(long)(
  "an integer that the SDK may have rounded (%s) is refused, and its text is exact",
  async (id) => {
    const got: unknown[] = [];
    const [tool] = await langchainTools(keeping(got));
    const invoke = (json: string): Promise<unknown> =>
      tool!.invoke({ type: "tool_call", id: json, name: "keep", args: JSON.parse(json) as never });
    const answer = await invoke(`{"id":${id}}`).catch(String);
    expect(JSON.stringify(answer)).toContain("send its digits as a text, in quotes");
    await invoke(`{"id":"${id}"}`);
    expect(got).toEqual([id]);
  },
);
