import { visibleText, ellipsize, truncate } from "@toolweave/core/adapter";

/** Maximum number of characters of a tool's description. The longest of 256 real tools has 4,000. */
export const maxDescriptionLength = 10_000;

/** Maximum number of characters of every other text: a title, a description in a schema. */
export const maxTextLength = 4_000;

/** Sanitizes the texts of a definition for the model: invisible characters are removed, long texts are truncated. */
export class TextSanitizer {
  /** True if hidden or invalid characters were removed. */
  isCleaned = false;
  readonly #truncated: string[] = [];

  sanitize(text: string, maxLength: number = maxTextLength): string {
    const visible = visibleText(text);
    if (visible !== text) this.isCleaned = true;
    if (visible.length <= maxLength) return visible;
    this.#truncated.push(visible);
    const truncated = truncate(visible, maxLength);
    return `${truncated}… (${visible.length - truncated.length} more characters)`;
  }

  /**
   * SHA-256 of the full texts that were truncated, so that a change beyond the limit is noticed. `undefined`: none
   * was.
   */
  get cutHash(): string | undefined {
    if (this.#truncated.length === 0) return undefined;
    // Loaded on demand: Node.js takes several milliseconds for it.
    const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
    for (const text of this.#truncated) hash.update(`${text.length}:${text}`);
    return hash.digest("hex");
  }
}

/** Converts a server's name of a tool for the message of a problem. */
export function toDisplayName(name: string): string {
  return ellipsize(visibleText(truncate(name, 300)).replaceAll(/\s+/g, " "), 200);
}
