import type { InterruptionRequest } from "@toolweave/core";
import { formatError } from "../contract/finding.ts";
import { sharedValidator } from "../schema/shared-validator.ts";

/** Finds a reason why a person cannot understand or answer a request, as the end of a sentence. */
export async function findRequestFault(request: InterruptionRequest): Promise<string | undefined> {
  const { type } = request;
  for (const [name, text] of Object.entries(getTexts(request))) {
    if (text.trim() === "") return `has a request of type ${type} whose ${name} is blank`;
  }
  if (type === "auth" && request.url !== undefined && !URL.canParse(request.url)) {
    return "has a request with an invalid URL";
  }
  if (type !== "input" || request.schema === undefined) return undefined;
  try {
    await sharedValidator.compile(request.schema);
    return undefined;
  } catch (error) {
    return `has a request for input with an invalid schema (${formatError(error)})`;
  }
}

/** The texts of a request that a person reads. */
function getTexts(request: InterruptionRequest): Readonly<Record<string, string>> {
  switch (request.type) {
    case "approval": {
      const { target, summary } = request.permission;
      return { reason: request.reason, target, summary };
    }
    case "auth":
      return { credential: request.credential, message: request.message };
    case "input":
      return { message: request.message };
    case "result":
      return {};
  }
}
