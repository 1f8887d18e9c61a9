import { governed, readCases } from "../lib/read-cases.ts";
import { problemsResult, type Step } from "../lib/step.ts";

/** Every attack and fault of the governed groups has a test, or says what it waits for. */
export const casesStep: Step = {
  name: "cases",
  summary: "the attacks and faults of test/cases have tests, or say what they wait for",
  run({ root }) {
    const reports = readCases(root).filter(({ case: { group } }) => governed.includes(group));
    const problems = reports
      .filter(({ state }) => state === "missing" || state === "gap")
      .map(
        ({ case: { id, title }, state }) =>
          `${id} ${title}: ${state}; see \`npx -y pnpm@12 cases\``,
      );
    const covered = reports.filter(({ state }) => state === "covered").length;
    return Promise.resolve(problemsResult(problems, `${covered} of ${reports.length} covered`));
  },
};
