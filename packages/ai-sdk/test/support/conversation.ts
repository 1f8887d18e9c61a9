import { generateText, isStepCount, type ModelMessage } from "ai";
import type { MockLanguageModelV4 } from "ai/test";
import type { AiTools } from "../../src/index.ts";

type Result = Awaited<ReturnType<typeof generateText<AiTools>>>;

/** The content of an approval request, for a host. */
export interface Asked {
  readonly approvalId: string;
  readonly callId: string;
  readonly input: unknown;
}

/** A conversation as a server stores it between two requests. */
export class Conversation {
  messages: ModelMessage[];

  constructor(prompt = "go") {
    this.messages = [{ role: "user", content: prompt }];
  }

  /** One request: the model runs until it is done or a person has to be asked. */
  async go(model: MockLanguageModelV4, tools: AiTools): Promise<Result> {
    const result = await generateText({
      model,
      tools,
      messages: this.messages,
      stopWhen: isStepCount(5),
    });
    this.messages = [...this.messages, ...result.responseMessages];
    return result;
  }

  /** A person's answers, by call id. */
  answer(asked: readonly Asked[], answers: Readonly<Record<string, boolean>>): void {
    const content = asked.flatMap(({ approvalId, callId }) => {
      const approved = answers[callId];
      return approved === undefined
        ? []
        : [{ type: "tool-approval-response" as const, approvalId, approved }];
    });
    this.messages = [...this.messages, { role: "tool", content }];
  }

  /** The same conversation, stored elsewhere. */
  copy(): Conversation {
    const copy = new Conversation();
    copy.messages = structuredClone(this.messages);
    return copy;
  }
}

/** The questions of a result to a person. */
export function askedIn(result: Pick<Result, "content">): Asked[] {
  return result.content.flatMap((part) =>
    part.type === "tool-approval-request"
      ? [
          {
            approvalId: part.approvalId,
            callId: part.toolCall.toolCallId,
            input: part.toolCall.input,
          },
        ]
      : [],
  );
}
