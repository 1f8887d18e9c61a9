/** How credentials begin that are one word. */
const beginnings =
  "AKIA ASIA ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- npm_ xoxa- xoxb- xoxe- xoxp- xoxr- xoxs- xapp- sk_live_ sk_test_ rk_live_ rk_test_ sk-proj- sk-svcacct- sk-admin- sk-ant- AIza eyJ".split(
    " ",
  );

/** A private key without its end. */
const begunKey = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?:-{1,5}|-----[\w+/=\s\\:,.()-]{0,65536})?$/;

/** Text beyond this is not searched again. */
const longest = 20_000;

/** The last word of `text`: where a credential may have begun. */
export function lastWord(text: string): number {
  let start = text.length;
  while (start > 0 && text.length - start < longest && /[\w.-]/.test(text.charAt(start - 1))) {
    start -= 1;
  }
  return start;
}

/** Where the end of `text` is the beginning of a credential, by its form; its length: nowhere. */
export function partialCredential(text: string): number {
  const tail = Math.max(0, text.length - longest);
  const key = begunKey.exec(text.slice(tail));
  if (key !== null) return tail + key.index;
  const start = lastWord(text);
  // A word may follow on an escape, such as \n or %20.
  for (const skipped of [0, 1, 2, 5]) {
    const word = text.slice(start + skipped, start + skipped + 16);
    if (beginnings.some((one) => word.startsWith(one))) return start + skipped;
  }
  return text.length;
}
