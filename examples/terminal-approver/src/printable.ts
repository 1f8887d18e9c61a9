import { displayText } from "@toolweave/core";

/**
 * A text after its label. Invisible characters are escaped; further lines are indented, so that
 * none looks like a label.
 */
export function labelled(label: string, text: string): string {
  return `${label} ${displayText(text).replaceAll("\n", `\n${" ".repeat(label.length + 1)}`)}`;
}
