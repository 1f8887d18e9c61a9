import { ToolError } from "@toolweave/core";

/**
 * The error for a value that cannot travel where it has to.
 *
 * @param argument as the model knows it.
 * @param why the end of a sentence that begins with the argument, and what to send instead.
 */
export function unrepresentableValue(argument: string, why: string): ToolError {
  return new ToolError("invalid_arguments", `${JSON.stringify(argument.slice(0, 100))} ${why}`);
}

/** Which argument carries a field of a body: what errors call it. */
export type FieldArgument = (field: string) => string;

/** A field of a body that is passed whole goes by its own name. */
export const fieldName: FieldArgument = (field) => field;

/** The error for a required value of which nothing would be sent: null, an empty list or object (RFC 6570 section 2.3). */
export function emptyValueError(argument: string): ToolError {
  return unrepresentableValue(
    argument,
    "is required, and null and what is empty cannot be sent there: pass a value.",
  );
}

/** A string as of ECMAScript 2024. */
interface Unicode {
  isWellFormed(): boolean;
}

/** False for a text that holds half of a surrogate pair: it would arrive as another one. */
export function isWellFormed(text: string): boolean {
  return (text as string & Unicode).isWellFormed();
}

/** Throws `ToolError` `invalid_arguments` for a text that holds half of a surrogate pair. */
export function assertWellFormed(text: string, argument: string): void {
  if (!isWellFormed(text)) {
    throw unrepresentableValue(
      argument,
      "holds half of a surrogate pair, which is no character: send whole ones.",
    );
  }
}
