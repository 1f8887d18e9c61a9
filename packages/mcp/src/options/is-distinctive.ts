/** True for what may be a secret: a short plain word, such as `true`, stands in answers that say nothing of it. */
export function isDistinctive(secret: string): boolean {
  return secret.length >= 16 || (secret.length >= 6 && !/^[A-Za-z]*$/.test(secret));
}
