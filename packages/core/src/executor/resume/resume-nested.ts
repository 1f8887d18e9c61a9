import { answerTo } from "../../approvals/answers.ts";
import { canonicalJson } from "../../json/canonical-json.ts";
import type { Answer, Interruption } from "../../contract/interruption.ts";
import type { NestedResumeOptions } from "../../contract/tool.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import { approvalInvalid } from "../call/to-tool-error.ts";
import type { CallState } from "../call/call-state.ts";
import { resumeCall } from "./resume-call.ts";
import { toolsetBelow } from "../context/nested-calls.ts";
import { refuse } from "../call/outcome.ts";
import {
  readAnswers,
  callable,
  checkBehalf,
  narrowerPolicies,
  openInterruption,
} from "./open-interruption.ts";
import { readInterruption } from "../call/read-call.ts";

/**
 * Resumes a call that `parent`'s tool has made, and for which a person was asked through the tool's own suspension. The
 * answers are the person's: the tool cannot change them. Never rejects.
 */
export async function resumeNested(
  parent: CallState,
  given: Interruption,
  { inherit, signal }: NestedResumeOptions = {},
): Promise<ToolOutcome> {
  const { engine, run } = parent;
  const interruption = readInterruption(given);
  try {
    const pending = await openInterruption(engine, interruption);
    checkBehalf(run, pending, interruption.call.name);
    const answers = readAnswers(passedOn(parent, interruption));
    const policies = [...parent.policies, ...narrowerPolicies(engine, interruption, pending)];
    const toolset = callable(toolsetBelow(parent), pending);
    const opened = { interruption, pending, run, policies, toolset, parent, inherit };
    return await resumeCall(engine, opened, answers, signal);
  } catch (error) {
    return refuse(engine, interruption, error, run, parent);
  }
}

/** The person's answers to the requests of a nested call, each used for one call only. */
function passedOn(
  { resumption, call }: CallState,
  { id, requests, call: nested, parentCallId }: Interruption,
): readonly Answer[] {
  const resumed = resumption?.suspended;
  if (resumption === undefined || resumed === undefined || parentCallId !== call.id) {
    throw approvalInvalid(
      `${nested.name} cannot be resumed by a tool that did not call it and then wait for a person's answer.`,
    );
  }
  return requests.map((request) => {
    const requestJson = canonicalJson(request);
    const same = resumed.requests.find((other) => canonicalJson(other) === requestJson);
    const answer = same && answerTo(same, resumed.answers);
    if (answer === undefined || (resumption.passedOn.get(request.id) ?? id) !== id) {
      throw approvalInvalid(
        `What ${nested.name} asks was not shown to a person, or was answered for another call: pass on its requests as they are.`,
      );
    }
    resumption.passedOn.set(request.id, id);
    return { ...answer, requestId: request.id };
  });
}
