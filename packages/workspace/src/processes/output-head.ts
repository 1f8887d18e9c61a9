/** The beginning of an output, in a buffer that grows with it. */
export class OutputHead {
  readonly #maxBytes: number;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;
  /** Whether there was more of the output. */
  isCut = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a part, of which it keeps a copy. */
  add(chunk: Buffer): void {
    const taken = chunk.subarray(0, this.#maxBytes - this.#length);
    this.isCut ||= taken.length < chunk.length;
    const length = this.#length + taken.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.alloc(Math.min(this.#maxBytes, 2 * length));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    taken.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  /** The bytes so far. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}
