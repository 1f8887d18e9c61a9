import assert from "node:assert/strict";

import type { JsonObject, ToolEvent, ToolExecutor, ToolOutcome } from "@toolweave/core";

import { decide } from "./decide.ts";
import { printField, printRequest } from "./fields.ts";
import type { Person } from "./person.ts";
import type { Museum } from "./service.ts";
import { shorten, type Terminal } from "./terminal.ts";

/** The parts that the step needs. */
export interface AgentStage {
  readonly terminal: Terminal;
  readonly executor: ToolExecutor;
  readonly museum: Museum;
  readonly person: Person;
  readonly signal: AbortSignal;
}

/**
 * Calls an agent like any other tool, prints its own calls as they end, and asks the person at the
 * terminal about its pending calls, any number of times.
 *
 * @returns the tools that the person has allowed it to call, once for each call.
 */
export async function showAgent(
  { terminal, executor, museum, person, signal }: AgentStage,
  name: string,
  args: JsonObject,
): Promise<readonly string[]> {
  const call = { id: "agent", name, arguments: args };
  const countBefore = museum.requests.length;
  const approved: string[] = [];

  printField(terminal, "call", `${name} ${JSON.stringify(args)}`);
  const stop = executor.on(showCalls(terminal, call.id));
  try {
    let outcome: ToolOutcome = await executor.execute(call, { signal });
    while (outcome.interruption) {
      const { interruption } = outcome;
      const answers = [];
      for (const request of interruption.requests) {
        // The call in question is one of the agent's own.
        assert(request.type === "approval" && request.call !== undefined);
        printRequest(terminal, request);
        // All of it, however long: a part that is not displayed is not approved.
        const wanted = JSON.stringify(request.call.arguments, undefined, 2);
        printField(terminal, "to call", `${request.call.name} ${wanted}`);
        const answer = await decide(person, request.id, signal);
        const reason = answer.type === "reject" ? `: ${answer.reason}` : "";
        printField(terminal, "answer", `${answer.type}${reason}`, "yellow");
        if (answer.type === "approve") approved.push(request.call.name);
        answers.push(answer);
      }
      outcome = await executor.resume(interruption, answers, { signal });
    }
    signal.throwIfAborted();
    const [said] = outcome.result.content;
    const text = said?.type === "text" ? said.text : "";
    assert(!outcome.result.isError, text);
    const received = museum.requests
      .slice(countBefore)
      .map(({ method, url }) => `${method} ${url}`);
    const writes = received.filter((request) => !request.startsWith("GET "));
    const events = approved.filter((tool) => tool === "create_event");
    assert(writes.length <= events.length, "only approved requests are received");
    printField(terminal, "outcome", outcome.status, "green");
    printField(
      terminal,
      "museum",
      received.length === 0 ? "received nothing" : `received ${received.join(", ")}`,
    );
    printField(terminal, "answers", text);
    return approved;
  } finally {
    stop();
  }
}

/** Prints each call that the call `parentId` makes itself, when it ends or begins to wait. */
function showCalls(terminal: Terminal, parentId: string): (event: ToolEvent) => void {
  const asked = new Map<string, string>();
  return (event) => {
    if (!("parentCallId" in event) || event.parentCallId !== parentId) return;
    if (event.type === "tool.requested") {
      const { arguments: args } = event;
      asked.set(event.callId, typeof args === "string" ? args : JSON.stringify(args));
    }
    const ending = describeEnd(event);
    if (ending === undefined) return;
    const args = event.type === "tool.interrupted" ? undefined : asked.get(event.callId);
    // A waiting call is displayed completely to the person.
    asked.delete(event.callId);
    const call = args === undefined ? event.tool : `${event.tool} ${shorten(args, 100)}`;
    printField(terminal, "agent", `${call}: ${ending}`);
  };
}

function describeEnd(event: ToolEvent): string | undefined {
  switch (event.type) {
    case "tool.completed":
      return event.isError ? `completed, ${event.code}` : "completed";
    case "tool.failed":
    case "tool.rejected":
      return event.code;
    case "tool.interrupted":
      return "waits for a person";
    default:
      return undefined;
  }
}
