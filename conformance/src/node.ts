import { AssertionError } from "node:assert";
import { after, describe, it } from "node:test";
import { groupByArea } from "./requirements/areas.ts";
import type { Manifest } from "./contract/manifest.ts";
import { describeFailure } from "./report/report.ts";
import { selectRules, formatTestTitle } from "./session/rule-tests.ts";
import { Session, type ConformanceOptions } from "./session/session.ts";

export type { Manifest } from "./contract/manifest.ts";
export type { ConformanceOptions } from "./session/session.ts";

/** Sources with thousands of tools have thousands of schemas to compile, which takes minutes. */
const timeout = 300_000;

/**
 * Registers one test for each rule of the contract with the test runner of Node.js, grouped by
 * area. A rule that does not apply is skipped with the reason.
 *
 * @throws ToolError `invalid_configuration` when the manifest contradicts itself, or `only` names no rule.
 */
export function conformance(manifest: Manifest, options: ConformanceOptions = {}): void {
  const areas = groupByArea(selectRules(options.only));
  const session = new Session(manifest, options);
  void describe(`conformance of ${manifest.name}`, () => {
    after(() => session.close());
    for (const { title, items } of areas) {
      void describe(title, () => {
        for (const requirement of items) {
          void it(formatTestTitle(requirement, manifest, session), { timeout }, async (test) => {
            const result = await session.result(requirement);
            if (result.status === "not-applicable") test.skip(result.message);
            if (result.status === "failed") {
              // The stack of the kit is omitted: it says nothing about the cause.
              throw new AssertionError({ message: describeFailure(result), stackStartFn: it });
            }
          });
        }
      });
    }
  });
}
