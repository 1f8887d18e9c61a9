export { scanText, type TextFinding, type TextFindingKind } from "./scan-text.ts";
export { scanSpec, type SpecFinding } from "./scan-spec.ts";
