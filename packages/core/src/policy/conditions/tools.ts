import type { PolicyGlobs } from "../../contract/policy-definition.ts";
import type { RegisteredTool } from "../../contract/tool.ts";
import { checkGlobs } from "./check-values.ts";
import { certain, impossible, type ConditionOf } from "./condition.ts";
import { findUnmatchedGlobs, globTest } from "./globs.ts";

/** The names of tools in the registry. */
export const toolsCondition: ConditionOf<"tool", PolicyGlobs> = {
  subject: "tool",

  check(where, given) {
    checkGlobs(where, given, nameFault);
  },

  compile(globs) {
    const matches = globTest(globs);
    return ({ tool }) => (matches(tool.spec.name) ? certain : impossible);
  },

  findUnmatched(globs, entries) {
    const names = entries.map(({ tool }) => tool.spec.name);
    return findUnmatchedGlobs(".tools", globs, names, "tool", entries.some(hasLocalTools));
  },
};

/** True if the calls of a tool can be of tools that the registry does not have, and that may be made later. */
export function hasLocalTools({ tool }: RegisteredTool): boolean {
  return tool.localTools !== undefined;
}

/** A glob that can match no tool's name would make a rule without effect. */
function nameFault(glob: string): string | undefined {
  const fits = /^[A-Za-z_*?][A-Za-z0-9_*?-]*$/.test(glob) && glob.replaceAll("*", "").length <= 64;
  return fits
    ? undefined
    : "no tool is named so: names are letters, digits, _ and -, 64 at most; * is any run, ? is one";
}
