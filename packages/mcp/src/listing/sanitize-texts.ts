import { createHash } from "node:crypto";
import { visibleText } from "@toolweave/core";

/** Characters of a tool's description that a model is shown. The longest of 256 real tools has 4,000. */
export const maxDescriptionLength = 10_000;

/** Of every other text: a title, a description in a schema. */
export const maxTextLength = 4_000;

/** The texts of a definition as a model sees them: without what nobody sees, and no longer than that. */
export class TextSanitizer {
  /** Something hidden or broken was taken out. */
  isCleaned = false;
  readonly #cut: string[] = [];

  shown(text: string, most: number = maxTextLength): string {
    const visible = visibleText(text);
    if (visible !== text) this.isCleaned = true;
    if (visible.length <= most) return visible;
    this.#cut.push(visible);
    // Half of a surrogate pair is no character.
    const kept = visible.slice(0, most).replace(/[\ud800-\udbff]$/, "");
    return `${kept}… (${visible.length - kept.length} characters more)`;
  }

  /** SHA-256 of the texts that were cut, whole: a change behind the cut is a change. `undefined`: none was. */
  get cutHash(): string | undefined {
    if (this.#cut.length === 0) return undefined;
    const hash = createHash("sha256");
    for (const text of this.#cut) hash.update(`${text.length}:${text}`);
    return hash.digest("hex");
  }
}

/** A name in a problem's text: whatever the server calls it. */
export function toDisplayName(name: string): string {
  const visible = visibleText(name.slice(0, 300)).replaceAll(/\s+/g, " ");
  return visible.length <= 200 ? visible : `${visible.slice(0, 200)}…`;
}
