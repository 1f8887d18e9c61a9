import { jsonPath, type JsonPath } from "../json-path/json-path.ts";
import type { ContentBlock } from "../contract/content-block.ts";
import type { JsonValue } from "../json/json.ts";
import type { RedactionRule } from "../contract/tool-spec.ts";
import type { ToolOutput } from "../contract/tool-result.ts";
import { ToolError } from "../contract/tool-error.ts";
import { digitsWithin, stringifyExact } from "../contract/exact-json.ts";
import { redactValue } from "./redact-value.ts";
import { SecretFinder } from "./secret-finder.ts";
import { SecretSet } from "./secret-set.ts";
import { mask, replaceSpans, type Spans } from "./spans.ts";

/**
 * The paths of redaction rules.
 *
 * @param whose what has the rules, for the error: `new ToolExecutor: redact`.
 * @throws ToolError `invalid_configuration` for one that cannot be read.
 */
export function compilePaths(
  whose: string,
  rules: readonly RedactionRule[] | undefined,
): readonly JsonPath[] {
  if (rules === undefined) return [];
  try {
    return rules.map(({ path }) => jsonPath(path));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "";
    throw new ToolError(
      "invalid_configuration",
      `${whose} has a rule that is none: use { path: "$.account.token" }. ${why}`.trimEnd(),
      { cause },
    );
  }
}

/**
 * The output without the parts that the paths match in its value: also if its content is the JSON text of the value, or
 * contains the same texts elsewhere.
 */
export function withoutPaths(output: ToolOutput, paths: readonly JsonPath[]): ToolOutput {
  const { value } = output;
  if (paths.length === 0 || value === undefined) return output;
  const secrets = new SecretSet();
  const numbers = new Set<number>();
  let kept: JsonValue = value;
  for (const path of paths) {
    for (const found of path.select(kept, Infinity)) addTexts(found, secrets, numbers);
    kept = path.replace(kept, mask);
  }
  if (kept === value) return output;
  // A text of such a number has all its digits.
  for (const digits of digitsWithin(value)) {
    if (numbers.has(Number(digits))) secrets.add(digits);
  }
  const whole = stringifyExact(value);
  const sets = [secrets];
  const finder = new SecretFinder(() => sets, false);
  const rule = (given: string): string => {
    const spans: Spans = [];
    finder.find(given, spans);
    return spans.length === 0 ? given : replaceSpans(given, spans, () => mask);
  };
  const content = output.content.map((block): ContentBlock => {
    if (block.type === "text" && block.text === whole) {
      return { ...block, text: stringifyExact(kept) };
    }
    return redactValue(block, rule);
  });
  const { details } = output;
  return {
    ...output,
    content,
    value: kept,
    ...(details === undefined ? {} : { details: redactValue(details, rule) }),
  };
}

/** @param numbers to which those in the value are added. */
function addTexts(value: JsonValue, secrets: SecretSet, numbers: Set<number>): void {
  if (typeof value === "string" || typeof value === "number") secrets.add(String(value));
  if (typeof value === "number") numbers.add(value);
  else if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) addTexts(member as JsonValue, secrets, numbers);
  }
}
