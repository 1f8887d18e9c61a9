import type { OverflowStrategy } from "../contract/tool-spec.ts";
import { checkOptions, type OptionCheck } from "../contract/check-options.ts";
import { atLeastZero, valueThat } from "../contract/option-checks.ts";

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
  const { onOverflow = "store", previewBytes = 4000, maxMediaBytes = 4_000_000 } = given;
  const { maxCapturedBytes = 33_554_432, lifetimeMs = 86_400_000 } = given;
  const sizes = { previewBytes, maxMediaBytes, maxCapturedBytes, lifetimeMs };
  overflowCheck.check("largeOutputs.onOverflow", onOverflow);
  for (const [name, value] of Object.entries(sizes)) {
    atLeastZero.check(`largeOutputs.${name}`, value);
  }
  return { ...sizes, onOverflow };
}

/** True for one of the three words. */
export function isOverflowStrategy(value: unknown): value is OverflowStrategy {
  return value === "store" || value === "clip" || value === "fail";
}

export const overflowCheck: OptionCheck = valueThat(
  isOverflowStrategy,
  '"store", "clip" or "fail"',
);
