export { scanText, type TextFinding, type TextFindingKind } from "./scan-spec.ts";
export { scanSpec, type SpecFinding } from "./scan-spec.ts";
export { twinNames } from "./twin-names.ts";
export { findingProblem, twinProblems } from "./scan-tools.ts";
