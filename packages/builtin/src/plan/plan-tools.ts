import { toolsSource, type ToolSource } from "@toolweave/core";
import { askUserTool } from "./ask-user.ts";
import { todoTool } from "./todo.ts";

/**
 * The tools `todo`, the plan of an agent, and `ask_user`, a question to the user.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry([planTools()]);
 * ```
 */
export function planTools(): ToolSource {
  return toolsSource("plan", [askUserTool(), todoTool()]);
}
