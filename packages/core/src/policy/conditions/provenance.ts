import type { ProvenanceCondition } from "../../contract/policy-definition.ts";
import type { RegisteredTool } from "../../contract/tool.ts";
import { checkAllGlobs, checkCondition, checkRecord } from "./check-values.ts";
import { certain, impossible, possible, type ConditionOf } from "./condition.ts";
import { findUnmatchedGlobs, globTest } from "./globs.ts";

/** Where a tool comes from. */
export const provenanceCondition: ConditionOf<"tool", ProvenanceCondition> = {
  subject: "tool",

  check(where, given) {
    checkCondition(where, given, ["adapter", "source", "origin"]);
    const { origin, ...globs } = given as Record<keyof ProvenanceCondition, unknown>;
    checkAllGlobs(where, globs);
    if (!("origin" in (given as object))) return;
    checkRecord(`${where}.origin`, origin, `{ method: "DELETE" }`);
    checkAllGlobs(`${where}.origin`, origin as object);
  },

  compile({ adapter, source, origin }) {
    const isOfAdapter = globTest(adapter);
    const isOfSource = globTest(source);
    const originTests = Object.entries(origin ?? {}).map(
      ([member, globs]) => [member, globTest(globs)] as const,
    );
    return ({ tool, source: registered, trusted }) => {
      const from = tool.spec.provenance;
      if (!isOfAdapter(from.adapter)) return impossible;
      const isRegistered = isOfSource(registered);
      if (!isRegistered && !isOfSource(from.source)) return impossible;
      for (const [member, matches] of originTests) {
        if (!matches(from.origin?.[member])) return impossible;
      }
      return isRegistered && (trusted || originTests.length === 0) ? certain : possible;
    };
  },

  findUnmatched({ adapter, source, origin }, entries) {
    const read = (part: (entry: RegisteredTool) => unknown): string[] =>
      entries.map(part).filter((value) => typeof value === "string");
    const adapters = entries.map(({ tool }) => tool.spec.provenance.adapter);
    const sources = [
      ...read((entry) => entry.source),
      ...read(({ tool }) => tool.spec.provenance.source),
    ];
    return [
      ...findUnmatchedGlobs(".provenance.adapter", adapter, adapters, "adapter"),
      ...findUnmatchedGlobs(".provenance.source", source, sources, "source"),
      ...Object.entries(origin ?? {}).flatMap(([member, globs]) => {
        const values = read(({ tool }) => tool.spec.provenance.origin?.[member]);
        return findUnmatchedGlobs(`.provenance.origin.${member}`, globs, values, member);
      }),
    ];
  },
};
