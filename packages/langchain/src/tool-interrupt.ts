import type { Answer, Interruption } from "@toolweave/core";

/** The value of LangGraph's interrupt while a call waits for a person. Plain JSON. */
export interface ToolInterrupt {
  /** The requests, and the call that they are about; secrets in its arguments are masked. */
  readonly interruption: Interruption;
  /** The reason why the last answer could not be used. Absent: this is the first interrupt of the call. */
  readonly problem?: string;
}

/**
 * The value of `Command({ resume })`: answers by the `id` of the interruption that they are for. LangGraph may pass one
 * `resume` to every pending call: a value that names none of them is no answer.
 */
export type ToolResume = Readonly<Record<string, Answer | readonly Answer[]>>;

/** The answers to one interruption among what the graph was resumed with, or why there are none. */
export function findAnswers(
  resume: unknown,
  { id }: Interruption,
): { readonly answers: readonly Answer[] } | { readonly problem?: string } {
  if (!isPlain(resume) || "type" in resume) {
    return {
      problem: `The answer names no interruption: resume with { "${id}": { "type": "approve" } }.`,
    };
  }
  if (!Object.hasOwn(resume, id)) return {};
  const given = resume[id];
  // Its content is untrusted, and the executor validates it.
  return { answers: (Array.isArray(given) ? given : [given]) as readonly Answer[] };
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
