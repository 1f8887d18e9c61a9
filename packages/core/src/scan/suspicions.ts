/** The kinds of suspicious instructions in a text. */
export type TextFindingKind =
  | "order_tag"
  | "override"
  | "secrecy"
  | "other_tools"
  | "exfiltration"
  | "hidden"
  | "role_token"
  | "new_role"
  | "encoded"
  | "hidden_characters"
  | "twin_names";

/** One way in which a text speaks to a model. */
export interface Suspicion {
  readonly kind: TextFindingKind;
  readonly says: string;
  /** Every repetition in it has an end: the time for a text grows with its length alone. */
  readonly pattern: RegExp;
  /** A condition on the match that a pattern cannot express. */
  readonly holds?: (match: string) => boolean;
}

/** Files whose content is private to the user. */
const privateFile =
  "(?:\\.ssh\\b|\\bid_(?:rsa|dsa|ecdsa|ed25519)\\b|\\.aws/credentials|\\.netrc\\b|\\.npmrc\\b|\\.kube/config|\\.gnupg\\b|\\.cursor/mcp\\.json|/etc/(?:passwd|shadow)\\b|(?:^|[\\s'\"`/~])\\.env\\b)";

/** Data of the conversation or the host. */
const ownAffair =
  "(?:(?:conversation|chat|message) history|(?:full|entire|whole|previous|prior) (?:conversation|chat|messages)|system prompt|your (?:instructions|context window)|environment variables)";

const take =
  "\\b(?:read|open|send|include|pass|append|attach|upload|post|forward|leak|exfiltrate|provide|copy|cat|embed|put|transmit|submit)\\b";

/** At most so many words between two that matter. */
const words = (most: number): string => `(?:[\\w'’,-]{1,20}\\s{1,3}){0,${most}}`;

const gap = "[^.\\n]{0,80}?";

/** The table. The first matching entry of a kind is reported. */
export const suspicions: readonly Suspicion[] = [
  {
    kind: "order_tag",
    says: "marks a part of itself as an order",
    pattern:
      /<\/?(?:important|critical|urgent|mandatory|instructions?|secret|admin|override|sys(?:tem)?[_-]?(?:prompt|note|instructions?|message)|assistant[_-]?instructions?)\b[^<>\n]{0,60}>/i,
  },
  {
    kind: "override",
    says: "tells the model to ignore what it was told",
    pattern: new RegExp(
      `\\b(?:ignore|disregard|forget|override|bypass)\\s{1,3}${words(3)}(?:previous|prior|earlier|above|preceding|foregoing|existing|original|system|safety|all|any|your)\\s{1,3}${words(3)}(?:instructions?|prompts?|directions?|directives?|guidelines?|guardrails?|system messages?)\\b`,
      "i",
    ),
  },
  {
    kind: "secrecy",
    says: "tells the model to keep something from the user",
    pattern: new RegExp(
      `\\b(?:do not|don['’]t|never|must not|should not|without)\\s{1,3}${words(2)}(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|disclose|disclosing|alert|alerting|let)\\s{1,3}${words(6)}(?:users?|humans?|anyone|anybody|operator)\\b`,
      "i",
    ),
  },
  {
    kind: "secrecy",
    says: "tells the model to keep something from the user",
    pattern:
      /\b(?:(?:keep|do) (?:this|it|that) (?:secret|hidden|silently|quietly)|(?:user|human) (?:must|should|need|may|does) not (?:know|be told|be informed|see this|notice)|hide (?:this|it) from)\b/i,
  },
  {
    kind: "other_tools",
    says: "tells the model how to use other tools",
    pattern: new RegExp(
      `\\b(?:before|after|instead of|when(?:ever)?|prior to)\\s{1,3}${words(2)}(?:using|calling|invoking|running|use|call)\\s{1,3}${words(2)}(?:other|another|different)\\s{1,3}${words(1)}(?:tools?|functions?|servers?)\\b`,
      "i",
    ),
  },
  {
    kind: "other_tools",
    says: "tells the model that a tool fails unless it obeys",
    pattern:
      /\b(?:otherwise|or else)\b[^.\n]{0,40}\btools?\b[^.\n]{0,30}\b(?:will not|won['’]t|will never|cannot|can['’]t|refuses? to) work\b/i,
  },
  {
    kind: "exfiltration",
    says: "asks for private data of the user",
    pattern: new RegExp(`${take}${gap}${privateFile}`, "i"),
  },
  {
    kind: "exfiltration",
    says: "asks for private data of the user",
    pattern: new RegExp(`${take}${gap}\\b${ownAffair}\\b`, "i"),
  },
  {
    kind: "exfiltration",
    says: "has something sent to an address of its own",
    pattern: new RegExp(
      `\\b(?:send|forward|upload|post|transmit|exfiltrate|leak|cc|bcc)\\b${gap}\\b(?:credentials?|api[ _-]?keys?|passwords?|private keys?|access tokens?|secrets?)\\b${gap}\\bto\\s{1,3}(?:https?://|[\\w.+-]{1,40}@[\\w-]{1,40}\\.)`,
      "i",
    ),
  },
  {
    kind: "hidden",
    says: "has a part that a rendered page does not show",
    pattern:
      /<!--[^>]{12,}|\[\/\/\]: {0,3}#|style {0,2}= {0,2}["'][^"'\n]{0,60}(?:display: ?none|visibility: ?hidden|font-size: ?0|opacity: ?0)/i,
  },
  {
    kind: "role_token",
    says: "imitates a turn, a role or a tool's result",
    pattern:
      /<\|[a-z_]{2,40}\|>|<\/?(?:tool_result|tool_response|function_results?|function_calls?|tool_calls?|tool_use|antml:\w{1,20})\b[^<>\n]{0,60}>|\[\/?INST\]|<<\/?SYS>>|<(?:start|end)_of_turn>|<\/?(?:system|assistant)>|\n\n(?:Human|Assistant|System): /,
  },
  {
    kind: "new_role",
    says: "gives the model another role or task",
    pattern:
      /\b(?:you are now (?:a|an|in|the|no longer)\b|from now on,? (?:you|always|never)\b|your (?:new|real|true|actual) (?:instructions?|role|task|goal|purpose) (?:is|are)\b|new (?:system )?instructions?:|enter (?:developer|debug|god|jailbreak) mode)/i,
  },
  {
    kind: "encoded",
    says: "has a long encoded part that people do not read",
    pattern: /(?<![\w+/=.:-])[A-Za-z0-9+/_-]{120,100000}={0,2}/,
    // A path, or a line of dashes, is no code.
    holds: (match) =>
      /[a-z]/.test(match) &&
      /[A-Z]/.test(match) &&
      /\d/.test(match) &&
      !/[/_-]{3}/.test(match) &&
      (match.match(/[/_-]/g)?.length ?? 0) < match.length / 12,
  },
];
