export { requirements } from "./requirements/requirements.ts";
export type { Capability, Requirement } from "./requirements/requirement.ts";
export { areaOf, areas, type Area } from "./requirements/areas.ts";
export type {
  Declaration,
  EffectCall,
  Facilities,
  LargeCall,
  Manifest,
  Outage,
  SampleCall,
  SampleCalls,
  SampleKind,
  SlowCall,
  SuspendingCall,
} from "./contract/manifest.ts";
export type { AreaResult, ConformanceReport, RuleCounts, RuleResult } from "./report/report.ts";
export type { ConformanceOptions } from "./running/session.ts";
export { runConformance, type RunOptions, type RunProgress } from "./running/run-conformance.ts";
export { reportText, type ReportTextOptions } from "./report/report-text.ts";
export { summaryOf, type ConformanceBadge, type ConformanceSummary } from "./report/summary.ts";
export { verdictOf, type Verdict } from "./report/verdict.ts";
export { sampleArguments, type SampleOptions } from "./schema/sample-arguments.ts";
export type { ValueStyle } from "./schema/value-style.ts";
export { quotaFault, type OwnedStore } from "./quota-fault.ts";
export { junitOf } from "./report/junit.ts";
