import { defineTool, isToolName, ToolRegistry, toolsSource } from "@toolweave/core";
import { check, type Check } from "../context/check.ts";
import { failed, passed } from "../contract/finding.ts";
import { described, checkEach } from "../reading/check-each.ts";

/** How tools are named, and in which order they come. */
export const nameChecks: readonly Check[] = [
  check("TW-NAME-001", async (context) => {
    const { tools } = await context.subject();
    return checkEach(described(tools), "Read each name", ({ spec: { name } }) =>
      typeof name === "string" && isToolName(name)
        ? undefined
        : { wrong: "has a name that is not canonical", seen: name },
    );
  }),

  check("TW-NAME-002", async (context) => {
    const names = (await context.subject()).names().filter((name) => name !== "");
    const done = `Compared ${names.length} names.`;
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    return twice === undefined
      ? passed(done)
      : failed(`Two tools are named "${twice}".`, done, names);
  }),

  check("TW-NAME-003", async (context) => {
    const { source } = await context.fresh();
    const done = "Called tools() three times.";
    const list = source.tools();
    return list === source.tools() && list === source.tools()
      ? passed(done)
      : failed("Each call of tools() gives another array.", done, "different arrays");
  }),

  check("TW-NAME-004", async (context) => {
    const first = (await context.fresh()).names();
    const second = (await context.fresh()).names();
    const done = "Made it twice and compared the names.";
    const at = first.findIndex((name, index) => name !== second[index]);
    return at === -1 && first.length === second.length
      ? passed(done)
      : failed("The tools come in another order each time.", done, {
          at,
          first: first.slice(at, at + 5),
          second: second.slice(at, at + 5),
        });
  }),

  check("TW-NAME-005", async (context) => {
    const { tools } = await context.subject();
    const reserved = reservedNames(tools.map(({ name }) => name));
    return checkEach(tools, "Offered each name to a registry", ({ name }) =>
      reserved.has(name)
        ? {
            wrong:
              "has a reserved name, and no registry takes it: give it another, or the source a prefix",
            seen: name,
          }
        : undefined,
    );
  }),

  check("TW-NAME-006", async (context) => {
    const { tools } = await context.subject();
    const known = new Map<string, string>();
    return checkEach(tools, "Compared the names in lower case", ({ name }) => {
      const other = known.get(name.toLowerCase()) ?? name;
      known.set(name.toLowerCase(), other);
      return other === name
        ? undefined
        : { wrong: `differs from "${other}" by upper and lower case alone`, seen: name };
    });
  }),
];

/** Those of some names that a registry keeps for the executor's own tools. */
function reservedNames(names: readonly string[]): ReadonlySet<string> {
  const canonical = [...new Set(names)].filter(isToolName);
  const tools = canonical.map((name) =>
    defineTool({
      name,
      description: "Stands for the tool.",
      input: { type: "object" },
      execute: () => undefined,
    }),
  );
  const registry = new ToolRegistry([toolsSource("conformance", tools)]);
  return new Set(registry.problems.map(({ subject }) => subject));
}
