import type { Tool } from "@toolweave/core";
import { around } from "../execution/sample-run.ts";

/** What a call of a tool itself gave, before an executor made something of it. */
export type Given = { readonly returned: unknown } | { readonly thrown: unknown };

/** The tools; what their calls give is told before it goes on. */
export function watchGiven(tools: readonly Tool[], onGiven: (given: Given) => void): Tool[] {
  return tools.map((tool) =>
    around(tool, {
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
