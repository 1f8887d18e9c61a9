/** The end of a text of any length. */
export class TextTail {
  readonly #most: number;
  #text = "";

  /** @param most characters that are kept. */
  constructor(most: number) {
    this.#most = most;
  }

  add(text: string): void {
    this.#text = (this.#text + text.slice(-this.#most)).slice(-this.#most);
  }

  get text(): string {
    return this.#text.trim();
  }
}
