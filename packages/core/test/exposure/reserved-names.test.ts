import { prefix, ToolRegistry, toolsSource } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { tool } from "../support/executor-for.ts";
import { TestSource } from "../support/test-source.ts";
import { listNames } from "./shop.ts";

const reserved = [
  "read_artifact",
  "task_status",
  "task_result",
  "task_cancel",
  "search_tools",
  "describe_tool",
  "call_tool",
];

describe("the name of one of the executor's own tools", () => {
  test.each(reserved)("is refused to the host: %s", (name) => {
    expect(() => new ToolRegistry([tool(name)])).toThrow(
      new RegExp(`"${name}" .*reserved.*prefix\\(`),
    );
  });

  test("excludes only that tool of a source, whenever the source adds it", () => {
    const source = new TestSource("files", [tool("read_artifact"), tool("read_file")]);
    const registry = new ToolRegistry([source]);
    expect(listNames(registry.toolset())).toEqual(["read_file"]);
    expect(registry.problems).toEqual([
      {
        source: "files",
        subject: "read_artifact",
        message:
          'The name "read_artifact" of a tool of files is reserved for a tool that the executor adds by itself; write prefix(source, "files").',
      },
    ]);
    source.set(tool("call_tool"), tool("read_file"));
    expect(registry.problems.map(({ subject }) => subject)).toEqual(["call_tool"]);
  });

  test("is allowed with a prefix", () => {
    const registry = new ToolRegistry([prefix(toolsSource("app", [tool("call_tool")]), "app")]);
    expect(listNames(registry.toolset())).toEqual(["app__call_tool"]);
  });
});
