import { displayText } from "@toolweave/core";

/** `text` with every hidden character spelt out: what a model has written must not move the cursor. */
export function printable(text: string): string {
  return displayText(text);
}
