import fc from "fast-check";

const point = fc
  .oneof(fc.nat(0x7f), fc.nat(0x7ff), fc.nat(0xffff), fc.nat(0x10ffff))
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point));

/**
 * Valid Unicode text of any script. (The library's own arbitrary takes most of a second to start.)
 */
export function anyText(maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: point, maxLength });
}
