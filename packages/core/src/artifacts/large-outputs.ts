import type { OverflowStrategy } from "../contract/tool-spec.ts";
import { checkOptions, isAtLeastZero } from "../contract/check-options.ts";
import { formatValue } from "../text/format-value.ts";
import { ToolError } from "../contract/tool-error.ts";

/** How large and binary outputs are handled. */
export interface LargeOutputs {
  /** For tools that set none of their own. Default: `store`. */
  readonly onOverflow?: OverflowStrategy;
  /** Bytes of a stored output that the model sees at once. Default: 4,000. */
  readonly previewBytes?: number;
  /** Bytes of images and sound in one result that a model gets as they are. Default: 4,000,000. */
  readonly maxMediaBytes?: number;
  /** Maximum bytes of one output that are captured; the rest is lost. Default: 33,554,432 (32 MiB). */
  readonly maxCapturedBytes?: number;
  /** Milliseconds that an artifact is kept. Default: 86,400,000 (a day). */
  readonly lifetimeMs?: number;
}

const names: Record<keyof LargeOutputs, true> = {
  onOverflow: true,
  previewBytes: true,
  maxMediaBytes: true,
  maxCapturedBytes: true,
  lifetimeMs: true,
};

/** @throws ToolError `invalid_configuration` when an option is not valid. */
export function checkedLargeOutputs(given: LargeOutputs = {}): Required<LargeOutputs> {
  checkOptions("largeOutputs", given, Object.keys(names));
  const { onOverflow = "store" } = given;
  if (!isOverflowStrategy(onOverflow)) {
    throw new ToolError(
      "invalid_configuration",
      `largeOutputs.onOverflow is ${formatValue(onOverflow)}; use "store", "clip" or "fail".`,
    );
  }
  return {
    onOverflow,
    previewBytes: atLeastZero("previewBytes", given.previewBytes ?? 4000),
    maxMediaBytes: atLeastZero("maxMediaBytes", given.maxMediaBytes ?? 4_000_000),
    maxCapturedBytes: atLeastZero("maxCapturedBytes", given.maxCapturedBytes ?? 33_554_432),
    lifetimeMs: atLeastZero("lifetimeMs", given.lifetimeMs ?? 86_400_000),
  };
}

/** True for one of the three words. */
export function isOverflowStrategy(value: unknown): value is OverflowStrategy {
  return value === "store" || value === "clip" || value === "fail";
}

function atLeastZero(name: string, value: number): number {
  if (isAtLeastZero(value)) return value;
  throw new ToolError(
    "invalid_configuration",
    `largeOutputs.${name} is ${formatValue(value)}; use 0 or more.`,
  );
}
