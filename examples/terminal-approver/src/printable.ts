/** Escape sequences, and characters that hide or reorder what stands beside them. */
const unprintable = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu;

/**
 * `text` with everything that is no visible character written out, such as `\u001b`: what a model
 * has written must not move the cursor, nor look like something else than it is.
 */
function printable(text: string): string {
  return text.replace(unprintable, (found) =>
    Array.from({ length: found.length }, (_, index) => unit(found.charCodeAt(index))).join(""),
  );
}

/** A text after its label; its further lines are indented, so that none passes for a label's. */
export function labelled(label: string, text: string): string {
  return `${label} ${printable(text).replaceAll("\n", `\n${" ".repeat(label.length + 1)}`)}`;
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
