import { displayLine, ToolError } from "@toolweave/core";
import { ellipsize } from "@toolweave/core/adapter";
import type { Locator } from "playwright-core";
import { maxName } from "./page-elements.ts";

/** Labels that an error names. */
const maxLabels = 20;

/** An option of a list, as a snapshot shows it, and its value, which none shows. */
interface ListOption {
  readonly label: string;
  /** Its other names: a snapshot shows the text of an option whose attribute `label` is displayed. */
  readonly names: readonly string[];
  readonly value: string;
  readonly isDisabled: boolean;
}

/**
 * Selects options of a list by their labels, or by their values if no label matches.
 *
 * @returns the labels of the selected options.
 * @throws ToolError `invalid_arguments` if an option does not exist, is disabled, or is not the only one of its label.
 */
export async function selectOptions(
  list: Locator,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { options, isMultiple } = await readOptions(list);
  if (!isMultiple && wanted.length > 1) {
    throw new ToolError(
      "invalid_arguments",
      `The list takes one option, and ${wanted.length} are named. Nothing was done.`,
    );
  }
  const indexes = wanted.map((text) => findOption(options, text));
  await list.selectOption(
    indexes.map((index) => ({ index })),
    { signal },
  );
  return indexes.map((index) => options[index]?.label ?? "");
}

/** A `select` element, as far as its options are read. */
interface ListElement {
  readonly tagName: string;
  readonly multiple: boolean;
  readonly options: ArrayLike<{
    readonly label: string;
    readonly text: string;
    readonly value: string;
    readonly ariaLabel: string | null;
    matches(selector: string): boolean;
  }>;
}

async function readOptions(
  list: Locator,
): Promise<{ readonly options: readonly ListOption[]; readonly isMultiple: boolean }> {
  const read = await list.evaluate((element: unknown) => {
    const { control } = element as { readonly control?: unknown };
    // A label stands for its control.
    const { tagName, options, multiple } = (control ?? element) as ListElement;
    if (tagName.toLowerCase() !== "select") return undefined;
    return {
      options: Array.from(options, (option) => ({
        label: option.label.replaceAll(/\s+/g, " ").trim(),
        names: [option.text, option.ariaLabel ?? ""].map((name) =>
          name.replaceAll(/\s+/g, " ").trim(),
        ),
        value: option.value,
        isDisabled: option.matches(":disabled"),
      })),
      isMultiple: multiple,
    };
  });
  if (read !== undefined) return read;
  throw new ToolError(
    "invalid_arguments",
    "The element is no list of options. Click it, and click one of the options in the next snapshot. Nothing was done.",
  );
}

/**
 * The index of the option with a label or another name, else of the one with a value. Of options that share both a label
 * and a value, a form sends the same: it is the first one that is not disabled.
 */
function findOption(options: readonly ListOption[], wanted: string): number {
  const label = wanted.replaceAll(/\s+/g, " ").trim();
  const select = (test: (option: ListOption) => boolean): number[] =>
    options.flatMap((option, index) => (test(option) ? [index] : []));
  const byLabel = select(({ label: own, names }) => own === label || names.includes(label));
  const found = byLabel.length > 0 ? byLabel : select((option) => option.value === wanted);
  const index = found.find((at) => options[at]?.isDisabled !== true) ?? found[0];
  const keys = new Set(found.map((at) => JSON.stringify([options[at]?.label, options[at]?.value])));
  if (index !== undefined && keys.size === 1) {
    if (options[index]?.isDisabled !== true) return index;
    throw new ToolError(
      "invalid_arguments",
      `The option ${quote(options[index].label)} is disabled. Nothing was done.`,
    );
  }
  const several = found.flatMap((at) => options[at] ?? []);
  if (several.length > 0) {
    const names = several.map(
      (option) => `${quote(option.label)} with value ${quote(option.value)}`,
    );
    throw new ToolError(
      "invalid_arguments",
      `${quote(wanted)} is not the only option of that name: ${names.slice(0, maxLabels).join(", ")}. Name the value. Nothing was done.`,
    );
  }
  const labels = options.map((option) => quote(option.label));
  const more = labels.length > maxLabels ? ` and ${labels.length - maxLabels} more` : "";
  throw new ToolError(
    "invalid_arguments",
    `The list has no option ${quote(wanted)}. It has: ${labels.slice(0, maxLabels).join(", ")}${more}. Nothing was done.`,
  );
}

function quote(text: string): string {
  return JSON.stringify(displayLine(ellipsize(text, maxName)));
}
