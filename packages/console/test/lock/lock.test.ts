import { lockDifference, lockOf } from "@toolweave/config";
import { defineTool, ToolRegistry, type Tool } from "@toolweave/core";
import { expect, test } from "vitest";
import type { LockDiff, ToolDetails } from "../../src/index.ts";
import { CheckedConsole, secret } from "../support/checked-console.ts";

const tool = (name: string, description: string, type = "string"): Tool =>
  defineTool({
    name,
    description,
    input: { type: "object", properties: { id: { type } } },
    execute: () => "ok",
  });

test("the changes of the tools since they were locked are described, without secrets", async () => {
  const before = new ToolRegistry([tool("a", "Reads."), tool("b", "Reads."), tool("gone", "x")]);
  const after = [tool("a", "Reads."), tool("b", `Sends ${secret}.`, "integer"), tool("new", "x")];
  const lock = lockOf(before.toolset().entries(), { details: true });
  const console: CheckedConsole = new CheckedConsole(
    after,
    {},
    {
      lock: {
        file: "/work/toolweave.lock.json",
        difference: () => lockDifference(lock, console.executor.registry.toolset().entries()),
      },
    },
  );
  const { body } = await console.send<LockDiff>("/api/lock/diff");
  expect(body).toEqual({
    file: "/work/toolweave.lock.json",
    added: ["new"],
    removed: ["gone"],
    changed: [
      {
        tool: "b",
        changes: [
          {
            path: "description",
            before: '"Reads."',
            after: '"Sends [redacted]."',
            text: 'description: "Reads." → "Sends [redacted]."',
          },
          {
            path: "inputSchema/properties/id/type",
            before: '"string"',
            after: '"integer"',
            text: 'inputSchema/properties/id/type: "string" → "integer"',
          },
        ],
      },
    ],
    command: "toolweave lock",
  });
  const states = ["a", "b", "new"].map(async (name) => {
    const { body } = await console.send<ToolDetails>(`/api/tools/${name}`);
    return [name, body.lock?.state, body.lock?.changes?.length];
  });
  expect(await Promise.all(states)).toEqual([
    ["a", "locked", undefined],
    ["b", "changed", 2],
    ["new", "new", undefined],
  ]);
});

test("of a part of which the lock has the digest only, the change has the current value", async () => {
  const lock = lockOf(new ToolRegistry([tool("a", "Reads.")]).toolset().entries());
  const console: CheckedConsole = new CheckedConsole(
    [tool("a", `Sends ${secret}.`)],
    {},
    {
      lock: {
        difference: () => lockDifference(lock, console.executor.registry.toolset().entries()),
      },
    },
  );
  const { body } = await console.send<LockDiff>("/api/lock/diff");
  expect(body.changed).toEqual([
    {
      tool: "a",
      changes: [
        {
          path: "text",
          after: '{"description":"Sends [redacted]."}',
          beforeUnknown: true,
          text: 'text is now {"description":"Sends [redacted]."}',
        },
      ],
    },
  ]);
});

test("a tool is displayed without its state if there is no lock, or it cannot be read", async () => {
  const difference = (): never => {
    throw new Error("The lock is damaged.");
  };
  for (const attached of [{}, { lock: { difference } }]) {
    const console = new CheckedConsole([tool("a", "Reads.")], {}, attached);
    const { status, body } = await console.send<ToolDetails>("/api/tools/a");
    expect([status, body.lock]).toEqual([200, undefined]);
  }
});

test("without a lock the operation says how to add one", async () => {
  const { status, body } = await new CheckedConsole().send("/api/lock/diff");
  expect([status, body["code"]]).toEqual([404, "not_available"]);
});
