export { requirements } from "./requirements.ts";
export type { Capability, Requirement } from "./requirement.ts";
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
} from "./manifest.ts";
export type { ConformanceReport, RuleResult } from "./report.ts";
export type { ConformanceOptions } from "./session.ts";
export { runConformance } from "./run-conformance.ts";
