import { spend } from "./pattern/work-budget.ts";

/**
 * True if a number is a multiple of another one, as both are written in decimal: 19.99 is one of 0.01, though no
 * quotient of the binary numbers is whole (JSON Schema 2020-12 validation, section 6.2.1).
 */
export function isMultiple(value: number, factor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(factor)) return value % factor === 0;
  if (!Number.isFinite(value)) return false;
  const [digits, exponent] = toDecimal(value);
  const [factorDigits, factorExponent] = toDecimal(factor);
  const shift = exponent - factorExponent;
  spend(50 + Math.abs(shift));
  return shift >= 0
    ? (digits * 10n ** BigInt(shift)) % factorDigits === 0n
    : digits % (factorDigits * 10n ** BigInt(-shift)) === 0n;
}

/** The digits of a number as it is printed, and the power of ten by which they are multiplied. */
function toDecimal(value: number): readonly [digits: bigint, exponent: number] {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
