/**
 * Returns the end of a text from the beginning of a word on: a secret that is cut in half could not be redacted.
 *
 * @param max Maximum number of characters.
 */
export function takeEnd(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = text.slice(-max);
  const space = end.search(/\s/);
  return space === -1 ? "" : end.slice(space + 1);
}

/** The end of a text of any length that arrives in chunks. */
export class TextTail {
  readonly #max: number;
  #text = "";

  /** @param max Characters that are stored. */
  constructor(max: number) {
    this.#max = max;
  }

  add(text: string): void {
    // One more than is returned, by which a longer text is recognized.
    const stored = this.#max + 1;
    this.#text = (this.#text + text.slice(-stored)).slice(-stored);
  }

  get text(): string {
    return takeEnd(this.#text, this.#max).trim();
  }
}
