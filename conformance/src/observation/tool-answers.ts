import type { Tool } from "@toolweave/core";
import { overrideTool } from "../execution/run-sample.ts";

/** The value that a tool itself returned or threw, before the executor processed it. */
export type ToolAnswer = { readonly returned: unknown } | { readonly thrown: unknown };

/** Wraps tools so that `onGiven` receives what their calls return or throw. */
export function observeAnswers(
  tools: readonly Tool[],
  onGiven: (given: ToolAnswer) => void,
): Tool[] {
  return tools.map((tool) =>
    overrideTool(tool, {
      invoke: async (args, ctx) => {
        try {
          const returned = await tool.invoke(args, ctx);
          onGiven({ returned });
          return returned;
        } catch (thrown) {
          onGiven({ thrown });
          throw thrown;
        }
      },
    }),
  );
}
