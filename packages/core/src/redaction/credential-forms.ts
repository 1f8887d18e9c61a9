import { base64ToBinary } from "../text/base64.ts";
import type { Spans } from "./spans.ts";

/** The form of one kind of credential. */
interface Form {
  /** Three characters that each has, `at` so many from its start; several, one after the other. */
  readonly anchors: string;
  readonly at: number;
  /** The characters of its first group, if it has one, are not redacted. */
  readonly pattern: RegExp;
  /** It may begin within a word; it cannot hold its own beginning. */
  readonly anywhere?: true;
  readonly check?: (found: string) => boolean;
}

/** In a table of windows: the anchor of a form. */
export const form = 2;

const forms: readonly Form[] = [
  // AWS: key ids, and the secret beside its name.
  { anchors: "AKI ASI", at: 0, pattern: /A[KS]IA[A-Z2-7]{16}(?![\w+/])/y },
  {
    anchors: "t_a T_A tAc",
    anywhere: true,
    at: 5,
    pattern: /(secret_?access_?key["'\\\s:=>]{1,12})[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/iy,
  },
  // GitHub, GitLab, npm.
  { anchors: "ghp gho ghu ghs ghr", at: 0, pattern: /gh[pousr]_[A-Za-z0-9]{36,255}/y },
  { anchors: "b_p", at: 5, pattern: /github_pat_\w{36,255}/y },
  { anchors: "lpa", at: 1, pattern: /glpat-[\w.-]{20,300}/y },
  { anchors: "pm_", at: 1, pattern: /npm_[A-Za-z0-9]{36}(?!\w)/y },
  // Slack.
  {
    anchors: "xox xap",
    at: 0,
    pattern: /(?:xox[abeprs]|xapp)-(?=[A-Za-z-]{0,20}\d)[A-Za-z0-9-]{10,250}/y,
  },
  // Stripe.
  {
    anchors: "k_l k_t",
    at: 1,
    pattern: /[sr]k_(?:live|test)_[A-Za-z0-9]{16,250}/y,
  },
  // OpenAI, Anthropic.
  {
    anchors: "sk-",
    at: 0,
    pattern:
      /sk-(?:(?:proj|svcacct|admin|ant)-[\w-]{20,250}|[A-Za-z0-9]{48}(?![\w-])|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})/y,
  },
  // Google.
  { anchors: "AIz", at: 0, pattern: /AIza[\w-]{35}(?![\w-])/y },
  // SendGrid, Twilio.
  { anchors: "SG.", at: 0, pattern: /SG\.[\w-]{22}\.[\w-]{43}(?![\w-])/y },
  {
    anchors: [..."0123456789abcdef"].map((digit) => `SK${digit}`).join(" "),
    at: 0,
    pattern: /SK[0-9a-f]{32}(?!\w)/y,
  },
  // JSON web tokens (RFC 7519), encrypted ones too (RFC 7516).
  {
    anchors: "eyJ",
    at: 0,
    pattern: /eyJ[\w-]{8,4096}\.[\w-]{0,16384}\.[\w-]{8,16384}(?:\.[\w-]{8,16384}\.[\w-]{8,64})?/y,
    check: isJsonWebToken,
  },
  // The values of an authorization header (RFC 6750, RFC 7617). Where a plus stands for a space it ends them, too:
  // otherwise each of many adjacent values would be read to the end of all.
  {
    anchors: "rer RER",
    at: 3,
    pattern:
      /(bearer(?:(?:\s|%20){1,4}|\+{1,4}))(?=[A-Za-z._~+/-]{0,64}\d)(?:(?<!\+)[\w.~+/-]{16,16384}|[\w.~/-]{16,16384})={0,2}/iy,
  },
  {
    anchors: "sic SIC",
    at: 2,
    pattern:
      /(basic(?:(?:\s|%20){1,4}|\+{1,4}))(?:(?<!\+)[A-Za-z0-9+/_-]{6,1024}|[A-Za-z0-9/_-]{6,1024})={0,2}/iy,
    check: isUserAndPassword,
  },
  // A user's name and password in a URL (RFC 3986, section 3.2.1).
  {
    anchors: "://",
    anywhere: true,
    at: 0,
    pattern: /(:\/\/)[^\s/?#@:"'`<>\\{}$*[\]()]{0,256}:[^\s/?#@"'`<>\\{}$*[\]()]{1,256}(?=@)/y,
  },
  // Private keys (RFC 7468), with line breaks of any kind, and without their end.
  {
    anchors: "BEG",
    anywhere: true,
    at: 5,
    pattern:
      /(-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----)(?:(?:[\w+/=\s\\:,.()]|-(?!----)){0,65536}-----END [A-Z0-9 ]{0,50}-----|(?:(?:\s|\\+[rn]){0,8}[A-Za-z0-9+/]{16,}={0,2}){0,2048}(?:(?:\s|\\+n)[A-Za-z0-9+/]{1,15}={0,2}(?=\s|\\|["']|$))?)/y,
  },
];

/** By anchor. Made when first needed. */
let byAnchor: Map<string, readonly Form[]> | undefined;

function formsByAnchor(): ReadonlyMap<string, readonly Form[]> {
  if (byAnchor !== undefined) return byAnchor;
  byAnchor = new Map();
  for (const one of forms) {
    for (const anchor of one.anchors.split(" ")) {
      byAnchor.set(anchor, [...(byAnchor.get(anchor) ?? []), one]);
    }
  }
  return byAnchor;
}

/**
 * Marks the windows that end with an anchor.
 *
 * @param shift bits by which a window of four characters moves with each of them.
 */
export function markForms(windows: Uint8Array, shift: number): void {
  for (const anchor of formsByAnchor().keys()) {
    const [a, b, c] = [0, 1, 2].map((at) => anchor.charCodeAt(at)) as [number, number, number];
    const window = (a << (2 * shift)) ^ (b << shift) ^ c;
    // Only this many bits of the previous character are left.
    for (let before = 0; before < 1 << shift; before++) {
      windows[(window ^ (before << (3 * shift))) & (windows.length - 1)] = form;
    }
  }
}

/** Adds the credential whose anchor ends at `index`, if there is one. */
export function formAt(text: string, index: number, spans: Spans): void {
  const found = formsByAnchor().get(text.slice(index - 2, index + 1));
  if (found === undefined || index < 2) return;
  for (const { at, pattern, anywhere, check } of found) {
    const from = index - 2 - at;
    if (from < 0 || (anywhere !== true && !beginsWord(text, from))) continue;
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    if (match === null) continue;
    const start = from + (match[1]?.length ?? 0);
    const end = from + match[0].length;
    if (end > start && check?.(text.slice(start, end)) !== false) spans.push(start, end);
  }
}

/** Each form begins where a word does, so that no part of a text is read once for each of its letters. */
function beginsWord(text: string, at: number): boolean {
  if (at === 0 || !/[\w.-]/.test(text.charAt(at - 1))) return true;
  return /(?:\\[bfnrt]|\\u[\da-f]{4}|%[\da-f]{2})$/i.test(text.slice(Math.max(0, at - 6), at));
}

function isJsonWebToken(token: string): boolean {
  const header = base64ToBinary(token.slice(0, token.indexOf(".")));
  return header !== undefined && /^\{[\s\S]*"(?:alg|enc)"\s*:/.test(header);
}

function isUserAndPassword(credentials: string): boolean {
  return /^[ -~]*:[ -~]*$/.test(base64ToBinary(credentials) ?? "");
}
