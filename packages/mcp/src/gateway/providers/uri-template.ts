/** Whether a template can make the address (RFC 6570, as far as it can be told without its values). */
export function fitsTemplate(uri: string, template: string): boolean {
  const [first = "", ...rest] = template.split(/\{[^{}]*\}/);
  if (!uri.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    const found = index === rest.length - 1 && part === "" ? uri.length : uri.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at === uri.length;
}
