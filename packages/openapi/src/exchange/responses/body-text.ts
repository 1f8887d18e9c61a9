import { parseExact, type JsonValue } from "@toolweave/core";

/** Characters of a body that an error shows. */
export const maxErrorText = 2000;

/** The value of a JSON text; `undefined` when it is none. */
export function parsed(json: string): JsonValue | undefined {
  try {
    return parseExact(json);
  } catch {
    return undefined;
  }
}

/** The beginning of a text, and how long it was. */
export function clipped(body: string, most: number = maxErrorText): string {
  return body.length <= most ? body : `${body.slice(0, most)}… (${body.length} characters)`;
}
