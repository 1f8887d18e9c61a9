import { ToolError } from "@toolweave/core";

/**
 * Creates the error for a value that cannot be sent where it has to be.
 *
 * @param argument the name that the model knows.
 * @param why the end of a sentence that begins with the argument, and the advice.
 */
export function unrepresentableValueError(argument: string, why: string): ToolError {
  return new ToolError("invalid_arguments", `${JSON.stringify(argument.slice(0, 100))} ${why}`);
}

/** Returns the argument that carries a field of a body, for errors. */
export type FieldArgument = (field: string) => string;

/** Returns the field's own name, for a body that is passed as a whole. */
export const fieldName: FieldArgument = (field) => field;

/**
 * Creates the error for a required value with an empty result: null, an empty list or object (RFC 6570 section 2.3).
 */
export function emptyValueError(argument: string): ToolError {
  return unrepresentableValueError(
    argument,
    "is required, and null and empty values cannot be sent: pass a value.",
  );
}

/** A string with the methods of ECMAScript 2024. */
interface Unicode {
  isWellFormed(): boolean;
}

/** Returns false for a text with an unpaired surrogate, which would arrive as another character. */
export function isWellFormed(text: string): boolean {
  return (text as string & Unicode).isWellFormed();
}

/** Throws `ToolError` `invalid_arguments` for a text with an unpaired surrogate. */
export function assertWellFormed(text: string, argument: string): void {
  if (!isWellFormed(text)) {
    throw unrepresentableValueError(
      argument,
      "contains an unpaired surrogate, which is not a character: pass complete characters.",
    );
  }
}
