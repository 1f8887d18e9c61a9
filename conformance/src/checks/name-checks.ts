import { isToolName } from "@toolweave/core";
import { check, type Check } from "../check.ts";
import { failed, passed } from "../finding.ts";
import { described, lookAt } from "../look-at.ts";

/** How tools are named, and in which order they come. */
export const nameChecks: readonly Check[] = [
  check("TW-NAME-001", async (context) => {
    const { tools } = await context.subject();
    return lookAt(described(tools), "Read each name", ({ spec: { name } }) =>
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
];
