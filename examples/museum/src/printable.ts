import { displayText } from "@toolweave/core";

/** `text` with every hidden character escaped: a model's text must not move the cursor. */
export function printable(text: string): string {
  return displayText(text);
}
