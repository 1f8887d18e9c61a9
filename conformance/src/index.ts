export { requirements } from "./requirements/requirements.ts";
export type { Capability, Requirement } from "./requirements/requirement.ts";
export { getArea, areas, type Area } from "./requirements/areas.ts";
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
  SucceedingCall,
  SuspendingCall,
} from "./contract/manifest.ts";
export type { AreaResult, ConformanceReport, RuleCounts, RuleResult } from "./report/report.ts";
export type { ConformanceOptions } from "./session/session.ts";
export { runConformance, type RunOptions, type RunProgress } from "./session/run-conformance.ts";
export { formatReport, type FormatReportOptions } from "./report/format-report.ts";
export { toSummary, type ConformanceBadge, type ConformanceSummary } from "./report/summary.ts";
export { getVerdict, type Verdict } from "./report/summary.ts";
export { sampleArguments, type SampleOptions } from "./schema/value-arbitrary.ts";
export type { ValueStyle } from "./schema/generation-settings.ts";
export { findQuotaFault, type OwnedStore } from "./quota-fault.ts";
export { toJunit } from "./report/junit.ts";
