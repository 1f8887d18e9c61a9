import { type Tool } from "@toolweave/core";
import { ofSource, ofSpec, ofTools, over, type Mutant } from "./mutant.ts";

export const nameMutants: readonly Mutant[] = [
  ofSpec("TW-NAME-001", "a name with a dot", () => ({ name: "math.add" }), "read_page"),
  ofTools("TW-NAME-002", "one name for two tools", (tools) => [...tools, ...tools.slice(0, 1)]),
  ofSource("TW-NAME-003", "a copy of the list each time", (source) =>
    over(source, { tools: () => [...source.tools()] }),
  ),
  ofTools("TW-NAME-004", "the order in which answers came", inTurns()),
  ofSpec("TW-NAME-005", "a search of its own", () => ({ name: "search_tools" })),
  ofSpec("TW-NAME-005", "a reader of its own", () => ({ name: "read_artifact" })),
  ofSpec("TW-NAME-006", "two spellings of one word", () => ({ name: "Add" })),
];

function inTurns(): (tools: Tool[]) => readonly Tool[] {
  let turn = 0;
  return (tools) => (++turn % 2 === 0 ? tools : tools.toReversed());
}
