import { nearNames } from "./tool-names.ts";
import { formatValue } from "../text/format-value.ts";
import { ToolError } from "./tool-error.ts";

/** A number of 0 or more: a text, or NaN, would be a limit that never holds. */
export function isAtLeastZero(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

/** Names that other libraries have for an option. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  parameters: ["input"],
  schema: ["input"],
  inputSchema: ["input"],
  outputSchema: ["output"],
  handler: ["execute"],
  func: ["execute"],
  run: ["execute"],
  tools: ["registry"],
  timeout: ["timeoutMs"],
  transport: ["command", "url"],
};

/** The check of one option. */
export interface OptionCheck {
  /** True: the option has no default. */
  readonly isRequired?: boolean;
  /** @throws ToolError `invalid_configuration` with the place, the value and the values that are valid. */
  check(place: string, value: unknown): void;
}

/** The checks of options, by their names. */
export type OptionChecks<Options = Readonly<Record<string, unknown>>> = {
  readonly [Name in keyof Required<Options>]: OptionCheck;
};

/**
 * Rejects a value that is not an options object, and unknown options: a misspelt one would silently have no effect.
 * With checks, it rejects also values of the wrong kind and options that are missing; `undefined` is absent.
 *
 * @param where the function or class that takes the options, for the error: `new ToolExecutor`.
 * @param known the names of the options, or their checks.
 * @throws ToolError `invalid_configuration`, with the option that was probably meant.
 */
export function checkOptions(
  where: string,
  given: unknown,
  known: readonly string[] | OptionChecks,
): void {
  if (isNames(known)) checkNames(where, given, known);
  else checkTable(where, `${where}: `, given, known);
}

function isNames(known: readonly string[] | OptionChecks): known is readonly string[] {
  return Array.isArray(known);
}

/** Does the same for options whose errors begin with `prefix`, such as those within other options. */
export function checkTable(
  where: string,
  prefix: string,
  given: unknown,
  checks: OptionChecks,
): void {
  checkNames(where, given, Object.keys(checks));
  for (const [name, { isRequired, check }] of Object.entries<OptionCheck>(checks)) {
    const value = (given as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined || isRequired === true) check(`${prefix}${name}`, value);
  }
}

function checkNames(where: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw new ToolError(
      "invalid_configuration",
      `${where} takes an object: { ${known.slice(0, 3).join(", ")}${known.length > 3 ? ", …" : ""} }.`,
    );
  }
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const near = otherName(name, known) ?? nearNames(name, known, 1)[0] ?? longer(name, known);
    const hint = near === undefined ? `It takes ${known.join(", ")}.` : `Did you mean ${near}?`;
    throw new ToolError("invalid_configuration", `${where}: unknown option "${name}". ${hint}`);
  }
}

function otherName(name: string, known: readonly string[]): string | undefined {
  const others = Object.hasOwn(otherNames, name) ? (otherNames[name] ?? []) : [];
  if (others.length === 0 || !others.every((one) => known.includes(one))) return undefined;
  return others.join(" or ");
}

/** Finds the option that continues the name: `destructiveHint` for `destructive`. */
function longer(name: string, known: readonly string[]): string | undefined {
  return name.length > 2 ? known.find((one) => one.startsWith(name)) : undefined;
}

/** @throws ToolError `invalid_configuration` for what is no signal. */
export function checkSignal(where: string, signal: AbortSignal | undefined): void {
  if (signal === undefined || typeof signal?.addEventListener === "function") return;
  throw new ToolError(
    "invalid_configuration",
    `${where}: signal is ${formatValue(signal)}; use an AbortSignal.`,
  );
}
