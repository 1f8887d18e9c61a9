import type { Answer, Interruption } from "@toolweave/core";

/** The value of LangGraph's interrupt while a call waits for a person. Plain JSON. */
export interface ToolInterrupt {
  /** The question, and the call that it is about; secrets in its arguments are masked. */
  readonly interruption: Interruption;
  /** Set when it is asked again: why the last answer could not be used. */
  readonly problem?: string;
}

/**
 * The value of `Command({ resume })`: answers by the `id` of the interruption that they are for. LangGraph may pass one
 * `resume` to every pending call: a value that names none of them is no answer.
 */
export type ToolResume = Readonly<Record<string, Answer | readonly Answer[]>>;

/** The answers to one interruption among what the graph was resumed with, or why there are none. */
export function answersIn(
  resume: unknown,
  { id }: Interruption,
): { readonly answers: readonly Answer[] } | { readonly problem?: string } {
  if (!isPlain(resume) || "type" in resume) {
    return {
      problem: `The answer does not say what it is for: resume with { "${id}": { "type": "approve" } }.`,
    };
  }
  if (!Object.hasOwn(resume, id)) return {};
  const given = resume[id];
  // Its content comes from outside, and the executor validates it.
  return { answers: (Array.isArray(given) ? given : [given]) as readonly Answer[] };
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
