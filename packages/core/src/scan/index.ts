export { scanText, type TextFinding, type TextFindingKind } from "./scan.ts";
export { scanSpec, type SpecFinding } from "./scan.ts";
export { twinNames } from "./twin-names.ts";
export { findingProblem, twinProblems } from "./scan.ts";
