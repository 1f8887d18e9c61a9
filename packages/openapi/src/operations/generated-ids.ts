import { snakeWords } from "@toolweave/core";

/** What an operationId may repeat. */
interface GeneratedOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
}

/**
 * An operationId without the path and the method that a generator put behind it: FastAPI makes
 * `read_user_api_v1_users__id__get` of `read_user`, others `messages_create_post_v1_messages`. In `snake_case`.
 *
 * @returns undefined when it ends with neither, or when a single word that the path does not have would be all that is
 * left: `create_items_post` says more than `create`.
 */
export function withoutPlace({
  operationId,
  method,
  path,
}: GeneratedOperation): string | undefined {
  const verb = method.toLowerCase();
  const [plain = ""] = path.split("?", 1);
  // Most are shorter than their paths, and there are thousands of them.
  if (operationId.length + 2 * (plain.split("{").length - 1) < plain.length + verb.length) {
    return undefined;
  }
  if (operationId.toLowerCase().lastIndexOf(verb) < 1) return undefined;
  const words = snakeWords(operationId);
  for (const place of plain === path ? [path] : [path, plain]) {
    const segments = snakeWords(place);
    if (segments.length === 0) continue;
    for (const suffix of [
      [...segments, verb],
      [verb, ...segments],
    ]) {
      const rest = words.length - suffix.length;
      if (rest < 1 || !suffix.every((word, index) => words[rest + index] === word)) continue;
      if (rest > 1 || segments.includes(words[0] as string)) return words.slice(0, rest).join("_");
    }
  }
  return undefined;
}
