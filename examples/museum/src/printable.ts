/** Escape sequences, and characters that hide or reorder what stands beside them. */
const unprintable = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu;

/** `text` with everything that is no visible character written out: a model must not move the cursor. */
export function printable(text: string): string {
  return text.replace(unprintable, (found) =>
    Array.from(
      { length: found.length },
      (_, index) => `\\u${found.charCodeAt(index).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
