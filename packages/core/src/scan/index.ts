export { scanText, type TextFinding, type TextFindingKind } from "./scan.ts";
export { scanSpec, type SpecFinding } from "./scan.ts";
export { twinNames } from "./scan.ts";
export { findingProblem, twinProblems } from "./scan.ts";
