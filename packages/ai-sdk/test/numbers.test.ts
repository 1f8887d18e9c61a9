import { defineTool, ToolExecutor, ToolRegistry, type Tool } from "@toolweave/core";
import { call, resultsRead, say, scripted } from "@toolweave/test-support/scripted-turns";
import { expect, it } from "vitest";
import { aiTools } from "../src/index.ts";
import { Conversation } from "./support/conversation.ts";

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
    const model = scripted(
      [call("c1", "keep", `{"id":${id}}`)],
      [call("c2", "keep", `{"id":"${id}"}`)],
      [say("done")],
    );
    await new Conversation().go(model, await aiTools(keeping(got)));
    const { c1 } = resultsRead(model);
    expect(JSON.stringify(c1)).toContain("send its digits as a text, in quotes");
    expect(got).toEqual([id]);
  },
);
