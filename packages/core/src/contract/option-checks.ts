// Checks for tables of options: `checkOptions`. They are marked as pure, so that bundles have only those that are used.
import { formatValue } from "../text/format-value.ts";
import { checkTable, type OptionCheck, type OptionChecks } from "./check-options.ts";
import { ToolError } from "./tool-error.ts";

/** A check by a test, for which `use` states the valid values: `0 or more`. */
export function valueThat(test: (value: unknown) => boolean, use: string): OptionCheck {
  return {
    check(place, value) {
      if (test(value)) return;
      const found = value === undefined ? "is missing" : `is ${formatValue(value)}`;
      throw new ToolError("invalid_configuration", `${place} ${found}; use ${use}.`);
    },
  };
}

/** The same option, without a default. */
export function required(check: OptionCheck): OptionCheck {
  return { isRequired: true, check: (place, value) => check.check(place, value) };
}

/** An option that another function checks. */
export const checkedElsewhere: OptionCheck = { check: () => {} };

/** True or false. */
export const flag: OptionCheck = /* @__PURE__ */ valueThat(
  (value) => typeof value === "boolean",
  "true or false",
);

/** A function. */
export const callback: OptionCheck = /* @__PURE__ */ valueThat(
  (value) => typeof value === "function",
  "a function",
);

/** A text that is not empty. */
export const filledText: OptionCheck = /* @__PURE__ */ valueThat(
  (value) => typeof value === "string" && value !== "",
  "a text that is not empty",
);

/** A text, perhaps an empty one. The value is not part of the error: it may be a secret of another option. */
export const anyText: OptionCheck = {
  check(place, value) {
    if (typeof value === "string") return;
    throw new ToolError("invalid_configuration", `${place} is no text; use one.`);
  },
};

/** A number from `min`, also `Infinity`; never `NaN`. */
export function numberFrom(min: number): OptionCheck {
  return valueThat((value) => typeof value === "number" && value >= min, `${min} or more`);
}

/** A number of 0 or more. */
export const atLeastZero: OptionCheck = /* @__PURE__ */ numberFrom(0);

/** A whole number from `min`. */
export function wholeFrom(min: number): OptionCheck {
  return valueThat(
    (value) => Number.isSafeInteger(value) && (value as number) >= min,
    `a whole number of ${min} or more`,
  );
}

/** One of these words. */
export function oneOf(...words: readonly string[]): OptionCheck {
  const quoted = words.map((word) => `"${word}"`);
  return valueThat(
    (value) => words.includes(value as string),
    `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`,
  );
}

/** A clock. */
export const clock: OptionCheck = /* @__PURE__ */ withMethods(
  "a clock",
  "now",
  "setTimeout",
  "clearTimeout",
);

/** An object with these methods, such as a store; `use` is an example of one. */
export function withMethods(use: string, ...methods: readonly string[]): OptionCheck {
  return {
    check(place, value) {
      const members = value as Readonly<Record<string, unknown>> | null | undefined;
      const missing = methods.find((name) => typeof members?.[name] !== "function");
      if (missing === undefined) return;
      const fault = value === undefined ? "is missing" : `has no ${missing}()`;
      throw new ToolError("invalid_configuration", `${place} ${fault}; use ${use}.`);
    },
  };
}

const isList = /* @__PURE__ */ valueThat(Array.isArray, "a list");
/** An object that is no list. The value is not part of the error: a text in its place may be a secret. */
export const object: OptionCheck = {
  check(place, value) {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
    const fault = value === undefined ? "is missing; use an object" : "is no object; use one";
    throw new ToolError("invalid_configuration", `${place} ${fault}.`);
  },
};

/** A list whose entries pass a check. */
export function list({ check }: OptionCheck): OptionCheck {
  return {
    check(place, value) {
      isList.check(place, value);
      for (const [index, one] of (value as readonly unknown[]).entries()) {
        check(`${place}[${index}]`, one);
      }
    },
  };
}

/** A list of texts with at least one, none of them empty. */
export const filledList: OptionCheck = /* @__PURE__ */ valueThat(
  (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => typeof one === "string" && one !== ""),
  'a list of texts, such as ["id", "name"]',
);

/** An object whose members are all of one kind, by names that the host chooses. */
export function record({ check }: OptionCheck): OptionCheck {
  return {
    check(place, value) {
      object.check(place, value);
      for (const [name, one] of Object.entries(value as object)) check(`${place}.${name}`, one);
    },
  };
}

/** Options within options. */
export function nested<Options extends object>(checks: OptionChecks<Options>): OptionCheck {
  return { check: (place, value) => checkTable(place, `${place}.`, value, checks) };
}
