export { isObject, isThenable } from "./json/json.ts";
export type { JsonPrimitive } from "./json/json.ts";
export {
  digitsWithin,
  exactDigits,
  isRoundedWarning,
  parseExact,
  roundedIntegers,
  roundedWarning,
  stringifyExact,
} from "./contract/exact-json.ts";
export {
  hasLongNumbers,
  InexactNumber,
  isExactNumber,
  isSameNumber,
  markRounded,
  parseLossless,
  toExactNumber,
  withoutBigints,
} from "./json/exact-number.ts";
export { isContentBlock } from "./contract/content-block.ts";
export type {
  AudioBlock,
  ContentAnnotations,
  ImageBlock,
  ResourceBlock,
  ResourceLinkBlock,
  TextBlock,
} from "./contract/content-block.ts";
export type {
  InjectedParameter,
  Provenance,
  RedactionRule,
  ToolAccess,
} from "./contract/tool-spec.ts";
export { frameContent } from "./executor/call/framed-content.ts";
export { cancellationOf } from "./executor/context/tool-context.ts";
export { pauseDeadlineFor as whilePersonAnswers } from "./executor/context/tool-context.ts";
export type {
  ApproveAnswer,
  AuthRequest,
  InputAnswer,
  RejectAnswer,
  ResultAnswer,
  ResultRequest,
  SuspensionRequest,
} from "./contract/interruption.ts";
export type {
  ArtifactData,
  ArtifactWriter,
  NestedCallOptions,
  NestedResumeOptions,
  ParsedOutput,
  PreflightContext,
  StoredContent,
  ToolAvailability,
  ToolScope,
  ValidationProblem,
} from "./contract/tool.ts";
export { argumentsSchemaOf, specHashOf } from "./contract/tool.ts";
export { isSuspension } from "./contract/interruption.ts";
export { lazyProperty } from "./contract/lazy.ts";
export { visibleText } from "./contract/visible-text.ts";
export { checkOptions } from "./contract/check-options.ts";
export type { OptionCheck, OptionChecks } from "./contract/check-options.ts";
export * as checks from "./contract/option-checks.ts";
export type { ErrorDefaults } from "./contract/tool-error.ts";
export { unmatchedWarning } from "./contract/near-globs.ts";
export {
  cleanName,
  compareNames,
  isToolName,
  nearNames,
  prefixName,
  shortenName,
  shortHash,
  snakeName,
  snakeWords,
  uniqueNames,
  type ShortenOptions,
} from "./contract/tool-names.ts";
export { globMatcher } from "./text/glob.ts";
export type { SourceProblem } from "./registry/tool-source.ts";
export { loadedSource } from "./registry/loaded-source.ts";
export type { LoadedSource, LoadedSourceOptions, LoadedTools } from "./registry/loaded-source.ts";
export { ToolsetSnapshot } from "./registry/toolset-snapshot.ts";
export type { RunSearch, ToolSearch } from "./built-in/searched-toolset.ts";
export { canonicalJson } from "./json/canonical-json.ts";
export { jsonPath, type JsonPath } from "./json-path/json-path.ts";
export type { CompiledSchema, SchemaValidator } from "./schema/schema-validator.ts";
export { adaptDialect } from "./schema/adapt-dialect.ts";
export { linearTest } from "./schema/pattern/linear-reg-exp.ts";
export { isCheckablePattern, type UncheckedPattern } from "./schema/unchecked-patterns.ts";
export { describeChange, memberChanges } from "./approvals/new-grant.ts";
export type { MemberChange } from "./approvals/new-grant.ts";
export { withoutStructuredContent, withStructuredContent } from "./results/structured-content.ts";
export type { ItemStream } from "./results/stream-source.ts";
export { SecretSet } from "./redaction/secret-set.ts";
export { isDistinctive, TokenSecrets } from "./redaction/secret-set.ts";
export type { Unregister } from "./redaction/secret-set.ts";
export { steadyClock, systemClock } from "./time/clock.ts";
export type { AnySchema, OutputOf } from "./define/infer.ts";
export { requestHostResult } from "./define/host-result.ts";
export { isStandardSchema, standardInput } from "./define/standard-schema.ts";
export type { StandardInput } from "./define/standard-schema.ts";
export type { StandardIssue, StandardResult, StandardSchema } from "./define/standard-schema.ts";
export { builtInSource } from "./contract/tool-names.ts";
export { formatValue } from "./text/format-value.ts";
export { ellipsize, truncate, truncateUtf8 } from "./text/utf8.ts";
export { decodeWideText } from "./text/wide-text.ts";
export { byName } from "./registry/toolset-snapshot.ts";
export type { SearchContext } from "./built-in/searched-toolset.ts";
export type { Metadata } from "./json/json.ts";
export type { OutputLimit } from "./contract/tool-spec.ts";
export type { ToolProgress } from "./contract/tool.ts";
export type { ToolErrorOptions } from "./contract/tool-error.ts";
export type { RegisteredTool } from "./contract/tool.ts";
export type { OverflowStrategy } from "./contract/tool-spec.ts";
export type { BeforeCallAnswer } from "./executor/call/hook.ts";
export type { CompletedEventFields } from "./events/tool-event.ts";
export type { Cancellation, CancellationListener } from "./time/waiting.ts";
export {
  childPointer,
  decodeFragment,
  escapePointer,
  parsePointer,
  resolvePointer,
} from "./json/json-pointer.ts";
export { tryRule } from "./policy/try-rule.ts";
export type {
  PolicyHolder,
  RuleChange,
  TriedEffect,
  TriedRule,
  TryRuleOptions,
} from "./policy/try-rule.ts";
export { decodeUtf8, findText, readTextPage } from "./artifacts/text-page.ts";
export type { TextMatch, TextPage, TextPageRequest } from "./artifacts/text-page.ts";
export { base64ToBytes, bytesToBase64 } from "./text/base64.ts";
export {
  getMediaTypeName,
  isJsonMediaType,
  isReadableMediaType,
  isTextMediaType,
  sniffMediaType,
} from "./results/media-type.ts";
export { pause, untilAborted, withSignal, withTimeout, type WaitOptions } from "./time/waiting.ts";
export {
  dataKeywords,
  describingKeywords,
  getItemSchemas,
  inPlaceKeywords,
  inPlaceSubschemas,
  isSchemaNode,
  mapSubschemas,
  resolveReference,
  stepPointer,
  subschemas,
  walkSubschemas,
} from "./json-schema/subschemas.ts";
export type {
  ItemSchemas,
  SchemaNode,
  SchemaStep,
  Subschema,
  SubschemaEntry,
} from "./json-schema/subschemas.ts";
export {
  findInvalidKeyword,
  keywords,
  mapKeywords,
  metadataKeywords,
  schemaTypes,
} from "./json-schema/keywords.ts";
export type { InvalidKeyword } from "./json-schema/keywords.ts";
export { getDialect, type Dialect } from "./json-schema/keywords.ts";
export { withDefaults } from "./json-schema/defaults.ts";
export { mergeKeyword, type MergeSchemas } from "./json-schema/merge-keyword.ts";
export { findUnsatisfiable, type UnsatisfiablePlace } from "./json-schema/unsatisfiable.ts";
