import { defineTool, type Tool } from "@toolweave/core";
import { expect, it } from "vitest";
import { claudeProcess } from "../support/claude-process.ts";
import { readText } from "../support/open-gateway.ts";

const long = [9007199254740992, 725653563933458432, -9007199254740996];

it.each(long)(
  "an integer that the SDK may have rounded (%s) is refused, and its text is exact",
  async (id) => {
    const got: unknown[] = [];
    const keep = defineTool({
      name: "keep",
      description: "Keep an id.",
      input: { type: "object", properties: { id: { type: "integer" } } },
      execute: (args) => {
        got.push(String(args.id));
        return "kept";
      },
    }) as Tool;
    const tools = [{ ...keep, acceptsBigint: true }];
    const { ask, call } = await claudeProcess(
      tools,
      { canUseTool: async (_name, input) => ({ behavior: "allow", updatedInput: input }) },
      { policy: "autonomous" },
    );
    expect(readText(await call("keep", { id }))).toContain("send its digits as a text, in quotes");
    expect(await ask("keep", { id })).toMatchObject({ behavior: "deny" });
    const digits = String(BigInt(id));
    expect(readText(await call("keep", { id: digits }))).toBe("kept");
    expect(got).toEqual([digits]);
  },
);
