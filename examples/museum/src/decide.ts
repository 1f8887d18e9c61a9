import type { Answer } from "@toolweave/core";

import type { Person } from "./person.ts";

const maxWaitMs = 300_000;

/**
 * The decision of the person at the terminal about one request. Only an explicit yes approves: no
 * terminal, a closed terminal and five minutes without an answer are a no.
 *
 * @throws the reason of `signal` when that fires
 */
export async function decide(
  person: Person,
  requestId: string,
  signal: AbortSignal,
): Promise<Answer> {
  const no = (reason: string): Answer => ({ type: "reject", requestId, reason });
  if (!person.isThere) return no("There is no terminal, so no person can be asked: it is a no.");
  const limit = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
  for (;;) {
    const line = await person.ask("   allow?   y/n > ", limit);
    signal.throwIfAborted();
    switch (line?.trim().toLowerCase()) {
      case "y":
      case "yes":
        return { type: "approve", requestId, by: "terminal" };
      case "n":
      case "no":
        return no("A person at the terminal said no.");
      case undefined:
        return no("There was no answer, so it is a no.");
    }
  }
}
