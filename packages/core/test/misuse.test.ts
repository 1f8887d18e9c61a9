import { expect, test } from "vitest";
import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";

const registry = new ToolRegistry();
const tool = { name: "t", description: "d", input: { type: "object" } };

test.each([
  [
    "a misspelt option",
    () => new ToolExecutor({ registry, timeout: 5 } as never),
    /"timeout" is no option\. Did you mean timeoutMs\?/,
  ],
  ["no registry", () => new ToolExecutor({} as never), /needs a registry/],
  ["the registry itself", () => new ToolExecutor(registry as never), /needs a registry/],
  ["nothing", () => new ToolExecutor(undefined as never), /takes an object/],
  [
    "something that is no tool",
    () => new ToolRegistry([() => 1] as never),
    /takes tools, sources and lists/,
  ],
  [
    "a registry of nothing",
    () => new ToolRegistry([null] as never),
    /takes tools, sources and lists/,
  ],
  [
    "another framework's words",
    () => defineTool({ ...tool, handler: () => 1 } as never),
    /"handler" is no option/,
  ],
  ["no input", () => defineTool({ name: "t", description: "d" } as never), /t: input is missing/],
  [
    "no description",
    () => defineTool({ name: "t", input: { type: "object" } } as never),
    /say in description/,
  ],
])("%s is refused, and the text says what to write", (_, misuse, message) => {
  expect(misuse).toThrow(message);
});

test("a registry takes one tool without a list", () => {
  expect(new ToolRegistry(defineTool(tool) as never).get("t")?.spec.name).toBe("t");
});
