import type { ToolRegistry } from "@toolweave/core";
import type { ServeMcpOptions } from "@toolweave/mcp/serve";

/** Scripts are listed beside the tools, or in their place. */
export type ScriptsChoice = boolean | "beside" | "only";

/**
 * Adds `run_script` and `describe_functions` to a registry. Under the policy `readOnly`, scripts call reads alone: the tool
 * would not be listed otherwise.
 *
 * @returns how a gateway lists them; undefined: there are no scripts.
 */
export async function addScripts(
  registry: ToolRegistry,
  which: ScriptsChoice | undefined,
  policy: string | undefined,
): Promise<Pick<ServeMcpOptions, "listed" | "describe"> | undefined> {
  if (which === undefined || which === false) return undefined;
  const [{ toolsSource }, { describeScripts, scriptTools }] = await Promise.all([
    import("@toolweave/core"),
    import("@toolweave/markdown"),
  ]);
  const options = policy === "readOnly" ? { readOnly: true } : {};
  const tools = scriptTools(options);
  registry.add(toolsSource("scripts", tools));
  const [name] = tools.map(({ spec }) => spec.name);
  return {
    listed: { names: tools.map(({ spec }) => spec.name), only: which === "only" },
    describe: (spec, toolset) =>
      spec.name === name && spec.provenance.adapter === "script"
        ? describeScripts(toolset, options)
        : spec.description,
  };
}
