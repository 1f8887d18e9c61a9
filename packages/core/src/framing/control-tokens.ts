/**
 * Tokens that end or begin a turn, a role or a tool's result in one of the formats that models are trained on. Matched
 * one by one, so in linear time.
 */
const controlTokens: RegExp =
  /<\|[a-z_]{2,40}\|>|<\/?(?:tool_result|tool_response|function_results?|function_calls?|tool_calls?|tool_use|system|assistant|user|human|invoke)\b|\[\/?INST\]|<<\/?SYS>>|<(?:start|end)_of_turn>|\n(?:Human|Assistant|System|User):/gi;

/** The text with one character of each replaced, so that nothing takes them for what they imitate. */
export function neutralised(text: string): string {
  return text.replace(controlTokens, (token) =>
    token.startsWith("\n") ? `${token.slice(0, -1)};` : `(${token.slice(1)}`,
  );
}
