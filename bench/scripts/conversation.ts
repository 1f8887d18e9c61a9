import type { JsonObject, JsonValue, ToolExecutor, ToolOutcome } from "@toolweave/core";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** A call as a model writes it. */
export type Call = readonly [name: string, args: JsonObject];

/** The tokens of one conversation. */
export interface Cost {
  /** Everything once: the task, the calls that the model writes, the results that it reads, and its answer. */
  readonly newTokens: number;
  /** All that the model reads in its turns together: the definitions of tools, and everything before, again in each turn. */
  readonly contextTokens: number;
  readonly turns: number;
  readonly calls: number;
}

/** The conversation of a model with tools, whose tokens are counted (o200k). */
export class Conversation {
  readonly #executor: ToolExecutor;
  readonly #definitions: number;
  #history: number;
  #context = 0;
  #turns = 0;
  #calls = 0;

  /** @param tools the names of the tools that are listed for the model. */
  constructor(executor: ToolExecutor, tools: readonly JsonObject[], prompt: string) {
    this.#executor = executor;
    this.#definitions = countTokens(JSON.stringify(tools));
    this.#history = countTokens(prompt);
  }

  /** One turn: the model reads everything, and writes calls, whose results it reads in the next turn. */
  async turn(...calls: readonly Call[]): Promise<readonly JsonValue[]> {
    this.#read();
    const outcomes: ToolOutcome[] = [];
    for (const [name, args] of calls) {
      this.#history += countTokens(JSON.stringify({ name, arguments: args }));
      this.#calls += 1;
      const id = `call_${this.#turns}_${this.#calls}`;
      outcomes.push(await this.#executor.execute({ id, name, arguments: args }));
    }
    return outcomes.map((outcome, index) => {
      const content = outcome.result?.content ?? [];
      const texts = content.map((block) => (block.type === "text" ? block.text : ""));
      this.#history += countTokens(texts.join("\n"));
      if (!outcome.ok)
        throw new Error(`${calls[index]?.[0]}: ${outcome.error?.message ?? outcome.status}`);
      if ((outcome.result?.artifacts ?? []).length > 0)
        throw new Error(`${calls[index]?.[0]}: the result is too long for a model`);
      return outcome.result?.value ?? texts.join("\n");
    });
  }

  /** The last turn: the model answers. */
  end(answer: JsonValue): Cost {
    this.#read();
    this.#history += countTokens(JSON.stringify(answer));
    return {
      newTokens: this.#history,
      contextTokens: this.#context,
      turns: this.#turns,
      calls: this.#calls,
    };
  }

  #read(): void {
    this.#turns += 1;
    this.#context += this.#definitions + this.#history;
  }
}
