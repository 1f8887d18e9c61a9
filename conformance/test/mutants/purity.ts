import type { Tool, ToolSpec } from "@toolweave/core";
import { lazyProperty } from "@toolweave/core/adapter";
import { ofTool, ofTools, type Mutant } from "./mutant.ts";
import type { World } from "../fixtures/index.ts";

/** The healthy tools, one of which has an additional effect. */
function meddling(
  rule: string,
  name: string,
  what: string,
  parts: (tool: Tool, world: World) => Partial<Tool>,
): Mutant {
  return ofTools(rule, what, (tools, world) =>
    tools.map((tool) => {
      if (tool.spec.name !== name) return tool;
      const { validate, preflight } = tool;
      return {
        spec: tool.spec,
        ...(validate === undefined ? {} : { validate: validate.bind(tool) }),
        ...(preflight === undefined ? {} : { preflight: preflight.bind(tool) }),
        invoke: tool.invoke.bind(tool),
        ...parts(tool, world),
      };
    }),
  );
}

export const purityMutants: readonly Mutant[] = [
  meddling("TW-PURE-001", "find_book", "a search that stores its queries", (tool, world) => ({
    invoke: (args, ctx) => {
      world.names.push(String(args["title"]));
      return tool.invoke(args, ctx);
    },
  })),
  meddling("TW-PURE-001", "find_book", "a search that remembers when it was", (tool, world) => ({
    invoke: (args, ctx) => {
      world.title = `searched ${Number(world.title.split(" ")[1] ?? 0) + 1} times`;
      return tool.invoke(args, ctx);
    },
  })),
  meddling("TW-PURE-002", "set_title", "a setter that keeps a history", (tool, world) => ({
    invoke: (args, ctx) => {
      world.names.push(world.title);
      return tool.invoke(args, ctx);
    },
  })),
  meddling(
    "TW-PURE-002",
    "set_title",
    "a setter that sets a title beside the last",
    (_, world) => ({
      invoke: ({ title }) => {
        world.title = world.title === "" ? String(title) : `${world.title}, ${String(title)}`;
        return "done";
      },
    }),
  ),
  meddling(
    "TW-PURE-003",
    "append_line",
    "a check that reserves what it looks for",
    (tool, world) => ({
      validate: (args) => {
        world.names.push(`reserved ${String(args["line"])}`);
        return tool.validate?.(args);
      },
    }),
  ),
  meddling(
    "TW-PURE-004",
    "read_page",
    "a schema that is written down when it is made",
    (tool, world) => ({
      spec: lazyProperty(
        Object.defineProperties({}, Object.getOwnPropertyDescriptors(tool.spec)) as ToolSpec,
        "inputSchema",
        () => {
          world.notes.set(`schema ${world.notes.size}`, "made");
          return tool.spec.inputSchema;
        },
      ),
    }),
  ),
  ofTool(
    "TW-PURE-005",
    "append_line",
    "a write that is sent again if its answer is late",
    (tool) => ({
      invoke: async (args, ctx) => {
        await tool.invoke(args, ctx);
        return tool.invoke(args, ctx);
      },
    }),
  ),
  ofTools("TW-PURE-002", "an additional line each time, declared as idempotent", (tools) =>
    tools.map((tool) => {
      if (tool.spec.name !== "append_line") return tool;
      const { spec, preflight } = tool;
      const annotations = { ...spec.annotations, idempotentHint: true };
      return {
        spec: { ...spec, annotations },
        ...(preflight === undefined ? {} : { preflight: preflight.bind(tool) }),
        invoke: tool.invoke.bind(tool),
      };
    }),
  ),
];
