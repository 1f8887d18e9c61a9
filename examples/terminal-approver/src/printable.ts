import { displayText } from "@toolweave/core";

/**
 * A text after its label. Characters that nobody would see are spelt out; further lines are indented,
 * so that none passes for a label's.
 */
export function labelled(label: string, text: string): string {
  return `${label} ${displayText(text).replaceAll("\n", `\n${" ".repeat(label.length + 1)}`)}`;
}
