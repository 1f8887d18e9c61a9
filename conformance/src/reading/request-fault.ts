import type { InterruptionRequest } from "@toolweave/core";
import { messageOf } from "../contract/finding.ts";
import { sharedValidator } from "../schema/shared-validator.ts";

/** What keeps a person from understanding or answering a request, as the end of a sentence. */
export async function requestFault(request: InterruptionRequest): Promise<string | undefined> {
  const { type } = request;
  for (const [name, text] of Object.entries(textsOf(request))) {
    if (text.trim() === "") return `asks with a request of type ${type} whose ${name} says nothing`;
  }
  if (type === "auth" && request.url !== undefined && !URL.canParse(request.url)) {
    return "sends the person to what is no URL";
  }
  if (type !== "input" || request.schema === undefined) return undefined;
  try {
    await sharedValidator.compile(request.schema);
    return undefined;
  } catch (error) {
    return `asks for input by a schema that is none (${messageOf(error)})`;
  }
}

/** What a person reads of a request. */
function textsOf(request: InterruptionRequest): Readonly<Record<string, string>> {
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
