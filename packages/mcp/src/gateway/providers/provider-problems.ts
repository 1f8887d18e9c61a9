/** Two providers have a resource or prompt of the same URI or name, and only one of them is served. */
export interface ProviderProblem {
  /** The provider whose resource or prompt is not served. */
  readonly provider: string;
  /** The URI or name that both have, truncated. */
  readonly subject: string;
  readonly message: string;
}

/** Maximum number of problems: a server may change its list without end. */
const maxProblems = 1_000;
/** Maximum number of characters of a subject, which is a text of the server. */
const maxSubjectLength = 500;

/** Collects duplicates, each once. */
export class ProviderProblems {
  readonly #problems = new Map<string, ProviderProblem>();

  get all(): readonly ProviderProblem[] {
    return Array.from(this.#problems.values());
  }

  /** @param kind Kind for the message: `prompt`, `resource`, `resource template`. */
  add(kind: string, provider: string, duplicate: string): void {
    const subject = duplicate.slice(0, maxSubjectLength);
    const key = `${provider} ${kind} ${subject}`;
    if (this.#problems.has(key) || this.#problems.size >= maxProblems) return;
    const reason = kind === "prompt" ? "name; give one of them another prefix" : "URI";
    const message = `The ${kind} ${subject} of ${provider} is not served: another provider has one of the same ${reason}.`;
    this.#problems.set(key, { provider, subject, message });
  }
}
