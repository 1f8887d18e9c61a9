import { describe, expect, test } from "vitest";
import {
  defineTool,
  type JsonObject,
  type PermissionRequest,
  type ToolExecutor,
} from "@toolweave/core";
import { call, executorFor } from "../support/executor-for.ts";
import { failed, getInterruption } from "../support/outcomes.ts";

const input = {
  type: "object",
  properties: { note: { type: "string" } },
  required: ["note"],
} as const;

const write = (note: string): PermissionRequest => ({
  kind: "fs.write",
  target: `notes/${note}.md`,
  summary: `Write ${note}`,
});

function notes(needsApproval: boolean | (() => boolean), ran: JsonObject[] = []): ToolExecutor {
  return executorFor(
    defineTool({
      name: "write_note",
      description: "Write a note.",
      input,
      needsApproval,
      preflight: ({ note }) => [write(note)],
      execute: (args) => ran.push(args),
    }),
    {
      policy: {
        rules: [{ effect: "deny", permissions: { kind: "fs.write", target: "notes/secret*" } }],
      },
    },
  );
}

describe("preflight of a defined tool", () => {
  test("states what the call would access, and the policy decides by that", async () => {
    const ran: JsonObject[] = [];
    const executor = notes(false, ran);
    const { requests } = getInterruption(await executor.execute(call("write_note", { note: "a" })));
    expect(requests).toMatchObject([{ type: "approval", permission: write("a") }]);
    const refused = await executor.execute(call("write_note", { note: "secrets" }));
    expect(failed(refused).error.code).toBe("permission_denied");
    expect(ran).toEqual([]);
  });

  test("and the approval that it needs are requested together", async () => {
    const ask = async (needsApproval: boolean | (() => boolean)) =>
      getInterruption(await notes(needsApproval).execute(call("write_note", { note: "a" })))
        .requests;
    expect(await ask(() => true)).toMatchObject([
      { permission: { kind: "fs.write" }, reason: "supervised: fs.write asks first" },
      {
        permission: { kind: "custom.approval" },
        reason: "this call needs approval (needsApproval)",
      },
    ]);
    expect(await ask(true)).toMatchObject([
      {
        permission: { kind: "fs.write" },
        reason: "this tool always needs approval (needsApproval)",
      },
    ]);
  });
});
