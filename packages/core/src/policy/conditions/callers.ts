import type { CallerCondition } from "../../contract/policy-definition.ts";
import { checkAllGlobs, checkCondition } from "./check-values.ts";
import { certain, impossible, type ConditionOf } from "./condition.ts";
import { globTest } from "./globs.ts";

const memberNames: readonly string[] = [
  "id",
  "roles",
  "agent",
] satisfies readonly (keyof CallerCondition)[];

/** The caller on whose behalf a call is made. */
export const callersCondition: ConditionOf<"caller", CallerCondition> = {
  subject: "caller",

  check(where, given) {
    checkCondition(where, given, memberNames);
    checkAllGlobs(where, given as object);
  },

  compile({ id, roles, agent }) {
    const matchesId = globTest(id);
    const matchesRole = globTest(roles);
    const matchesAgent = globTest(agent);
    return (caller) =>
      matchesId(caller.id) &&
      (roles === undefined || (caller.roles?.some(matchesRole) ?? false)) &&
      matchesAgent(caller.agent)
        ? certain
        : impossible;
  },
};
