import assert from "node:assert/strict";

import type {
  Answer,
  Interruption,
  ToolCall,
  ToolErrorCode,
  ToolEvent,
  ToolExecutor,
  ToolOutcome,
} from "@toolweave/core";

import { printField, printRequest } from "./fields.ts";
import type { Museum } from "./service.ts";
import { shorten } from "./terminal.ts";
import type { Style, Terminal } from "./terminal.ts";

/** The expected result of a step. */
export interface Expectation {
  readonly status: ToolOutcome["status"];
  /** The error's code; absent: there is no error. */
  readonly code?: ToolErrorCode;
}

/** The pipeline stage that ends a call with this code before the tool has answered. */
const stageOfCode: Partial<Record<ToolErrorCode, string>> = {
  not_found: "1 resolve: the name is looked up among the tools",
  invalid_arguments: "4 validate: the arguments are held against the tool's schema",
  approval_rejected: "7 authorize: a person said no",
  cancelled: "8 run: the tool was at work",
};

/** Makes the calls of the demo, checks their results, and explains each. */
export class Guide {
  readonly #executor: ToolExecutor;
  readonly #museum: Museum;
  readonly #terminal: Terminal;
  readonly #signal: AbortSignal;
  #steps = 0;
  #calls = 0;

  /** @param signal ends the conversation: the current step rejects with its reason. */
  constructor(executor: ToolExecutor, museum: Museum, terminal: Terminal, signal: AbortSignal) {
    this.#executor = executor;
    this.#museum = museum;
    this.#terminal = terminal;
    this.#signal = signal;
  }

  /** Begins a step. */
  heading(title: string): void {
    this.#steps += 1;
    this.#terminal.line();
    this.#terminal.line(this.#terminal.paint("bold", `${this.#steps}. ${title}`));
  }

  /** A call as a model would request it. */
  async call(
    name: string,
    args: Exclude<ToolCall["arguments"], string>,
    expected: Expectation,
    visitor?: AbortSignal,
  ): Promise<ToolOutcome> {
    this.#calls += 1;
    const call = { id: `call_${this.#calls}`, name, arguments: args };
    this.#field("call", `${name} ${JSON.stringify(args)}`);
    const signal = visitor === undefined ? this.#signal : AbortSignal.any([this.#signal, visitor]);
    return this.#observe(expected, () => this.#executor.execute(call, { signal }));
  }

  /** A call that has to wait for a person; prints the request to the person. */
  async interrupted(
    name: string,
    args: Exclude<ToolCall["arguments"], string>,
  ): Promise<Interruption> {
    const outcome = await this.call(name, args, { status: "interrupted" });
    assert(outcome.interruption);
    const { interruption } = outcome;
    for (const request of interruption.requests) {
      assert(request.type === "approval");
      printRequest(this.#terminal, request);
    }
    return interruption;
  }

  /** A person's answer to an interruption. */
  async resume(
    interruption: Interruption,
    answer: Answer,
    expected: Expectation,
  ): Promise<ToolOutcome> {
    const reason = answer.type === "reject" ? `: ${answer.reason}` : "";
    this.#field("answer", `${answer.type}${reason}`);
    const signal = this.#signal;
    return this.#observe(expected, () => this.#executor.resume(interruption, [answer], { signal }));
  }

  /** Prints one line about the step. */
  note(text: string): void {
    this.#field("note", text);
  }

  async #observe(expected: Expectation, act: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
    const events: ToolEvent["type"][] = [];
    const stop = this.#executor.on((event) => void events.push(event.type));
    const countBefore = this.#museum.requests.length;
    const outcome = await act();
    stop();
    this.#signal.throwIfAborted();
    const received = this.#museum.requests
      .slice(countBefore)
      .map(({ method, url }) => `${method} ${url}`);
    this.#print(outcome, events, received);

    const actual = { status: outcome.status, code: outcome.error?.code };
    assert.deepEqual(actual, { code: undefined, ...expected });
    assert.equal(
      received.length > 0,
      events.includes("tool.started"),
      "only started calls are received",
    );
    return outcome;
  }

  #print(outcome: ToolOutcome, events: readonly string[], received: readonly string[]): void {
    const { error } = outcome;
    const style = outcome.ok ? "green" : outcome.interruption ? "yellow" : "red";
    const code = error?.status === undefined ? error?.code : `${error.code} ${error.status}`;
    this.#field("outcome", [outcome.status, code].filter(Boolean).join(", "), style);
    this.#field("stopped", describeStage(outcome));
    this.#field("events", events.map((type) => type.replace("tool.", "")).join(" → "));
    this.#field(
      "museum",
      received.length === 0 ? "received nothing" : `received ${received.join(", ")}`,
    );
    if (outcome.interruption === undefined) this.#field("model", readByModel(outcome));
  }

  #field(name: string, text: string, style?: Style): void {
    printField(this.#terminal, name, text, style);
  }
}

function describeStage(outcome: ToolOutcome): string {
  switch (outcome.status) {
    case "interrupted":
      return "7 authorize: the policy wants a person to agree first";
    case "failed":
      return stageOfCode[outcome.error.code] ?? "elsewhere";
    case "completed":
      return outcome.result.isError
        ? "nowhere: the tool ran, and its answer is an error"
        : "nowhere: it went through all eleven stages";
  }
}

/** The first lines of the model's text. */
function readByModel(outcome: Exclude<ToolOutcome, { status: "interrupted" }>): string {
  const lines = outcome.result.content.flatMap((block) =>
    block.type === "text" ? block.text.split("\n") : [`[${block.type}]`],
  );
  const printed = lines.slice(0, 6).map((line) => shorten(line, 160));
  return [...printed, ...(lines.length > printed.length ? ["…"] : [])].join("\n");
}
