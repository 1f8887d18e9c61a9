import { meansReserved } from "./reserved-names.ts";
import { unrepresentableValue } from "./unrepresentable.ts";

/** Refuses a key, encoded as it travels, that the model must not choose. */
export type ReservedKeyCheck = (key: string) => void;

/**
 * Refuses keys that a server could take for reserved names.
 *
 * @param argument the argument's name, for errors.
 */
export function reservedKeyCheck(
  argument: string,
  reserved: ReadonlySet<string>,
): ReservedKeyCheck {
  return (key) => {
    if (!meansReserved(key, reserved)) return;
    throw unrepresentableValue(
      argument,
      `must not hold the key ${JSON.stringify(key.slice(0, 100))}: that name means something else in this request. Leave it out.`,
    );
  };
}
