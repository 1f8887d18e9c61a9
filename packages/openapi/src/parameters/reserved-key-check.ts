import { meansReserved } from "./reserved-names.ts";
import { unsendable } from "./unrepresentable.ts";

/** Refuses a key, encoded as it travels, that the model must not choose. */
export type KeyCheck = (key: string) => void;

/**
 * Refuses keys that a server could take for reserved names.
 *
 * @param argument the argument's name, for errors.
 */
export function keyCheck(argument: string, reserved: ReadonlySet<string>): KeyCheck {
  return (key) => {
    if (!meansReserved(key, reserved)) return;
    throw unsendable(
      argument,
      `must not hold the key ${JSON.stringify(key.slice(0, 100))}: that name means something else in this request. Leave it out.`,
    );
  };
}
