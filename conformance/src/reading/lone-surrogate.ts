/** True for a text with half of a character that takes two UTF-16 units: it was cut within one. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}
