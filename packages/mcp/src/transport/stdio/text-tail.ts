/**
 * The end of a text, from the beginning of a word on: half of a secret is one that nobody finds, and so nobody redacts.
 *
 * @param most characters of it.
 */
export function takeEnd(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.slice(-most);
  const space = end.search(/\s/);
  return space === -1 ? "" : end.slice(space + 1);
}

/** The end of a text of any length, which comes piece by piece. */
export class TextTail {
  readonly #most: number;
  #text = "";

  /** @param most characters that are kept. */
  constructor(most: number) {
    this.#most = most;
  }

  add(text: string): void {
    // One more than is given, by which it is seen that there was more.
    const kept = this.#most + 1;
    this.#text = (this.#text + text.slice(-kept)).slice(-kept);
  }

  get text(): string {
    return takeEnd(this.#text, this.#most).trim();
  }
}
