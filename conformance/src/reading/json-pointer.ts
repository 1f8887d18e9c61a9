/** True for a JSON pointer (RFC 6901). */
export function isPointer(path: unknown): path is string {
  return typeof path === "string" && /^(?:\/(?:[^~/]|~[01])*)*$/.test(path);
}
