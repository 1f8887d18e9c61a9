import { defineTool, ToolRegistry, toolsSource } from "@toolweave/core";
import { isToolName } from "@toolweave/core/adapter";
import { defineCheck, type Check } from "../../context/check.ts";
import { failed, passed } from "../../contract/finding.ts";
import { withReadableSpec, checkEach } from "../../faults/check-each.ts";

/** Checks of names and their order. */
export const nameChecks: readonly Check[] = [
  defineCheck("TW-NAME-001", async (context) => {
    const { tools } = await context.subject();
    return checkEach(withReadableSpec(tools), "Read each name", ({ spec: { name } }) =>
      typeof name === "string" && isToolName(name)
        ? undefined
        : { wrong: "has a name that is not canonical", seen: name },
    );
  }),

  defineCheck("TW-NAME-002", async (context) => {
    const names = (await context.subject()).names().filter((name) => name !== "");
    const done = `Compared ${names.length} names.`;
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    return twice === undefined
      ? passed(done)
      : failed(`Two tools are named "${twice}".`, done, names);
  }),

  defineCheck("TW-NAME-003", async (context) => {
    const { source } = await context.createReady();
    const done = "Called tools() three times.";
    const list = source.tools();
    return list === source.tools() && list === source.tools()
      ? passed(done)
      : failed("Each call of tools() returns a different array.", done, "different arrays");
  }),

  defineCheck("TW-NAME-004", async (context) => {
    const first = (await context.createReady()).names();
    const second = (await context.createReady()).names();
    const done = "Created it twice and compared the names.";
    const at = first.findIndex((name, index) => name !== second[index]);
    return at === -1 && first.length === second.length
      ? passed(done)
      : failed("The tools are in a different order each time.", done, {
          at,
          first: first.slice(at, at + 5),
          second: second.slice(at, at + 5),
        });
  }),

  defineCheck("TW-NAME-005", async (context) => {
    const { tools } = await context.subject();
    const reserved = findReservedNames(tools.map(({ name }) => name));
    return checkEach(tools, "Registered each name", ({ name }) =>
      reserved.has(name)
        ? {
            wrong:
              "has a reserved name, which registries reject: use another name, or a prefix for the source",
            seen: name,
          }
        : undefined,
    );
  }),

  defineCheck("TW-NAME-006", async (context) => {
    const { tools } = await context.subject();
    const known = new Map<string, string>();
    return checkEach(tools, "Compared the names in lower case", ({ name }) => {
      const other = known.get(name.toLowerCase()) ?? name;
      known.set(name.toLowerCase(), other);
      return other === name
        ? undefined
        : { wrong: `differs from "${other}" only in case`, seen: name };
    });
  }),
];

/** The names that a registry reserves for built-in tools. */
function findReservedNames(names: readonly string[]): ReadonlySet<string> {
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
