/** Two providers offer the same, and only one of them can. */
export interface OfferProblem {
  /** The provider whose offer is not there. */
  readonly provider: string;
  /** The address, or the name, that both have; of a long one the beginning. */
  readonly subject: string;
  readonly message: string;
}

/** How many are kept: a server may think of others with every list. */
const mostProblems = 1_000;
/** Characters of a subject: it is the server's text. */
const longestSubject = 500;

/** What is not there since another provider has it, each once. */
export class ProviderProblems {
  readonly #problems = new Map<string, OfferProblem>();

  get all(): readonly OfferProblem[] {
    return Array.from(this.#problems.values());
  }

  /** @param kind as a person calls it: `prompt`, `resource`, `resource template`. */
  add(kind: string, provider: string, given: string): void {
    const subject = given.slice(0, longestSubject);
    const key = `${provider} ${kind} ${subject}`;
    if (this.#problems.has(key) || this.#problems.size >= mostProblems) return;
    const what = kind === "prompt" ? "name; give one of them a prefix of its own" : "address";
    const message = `The ${kind} ${subject} of ${provider} is not there: another provider has one of the same ${what}.`;
    this.#problems.set(key, { provider, subject, message });
  }
}
