import type { Answer, GrantChoice, InterruptionRequest } from "@toolweave/core";
import { arrayNode, objectNode, textNode, type FormNode } from "../json/node.ts";
import { isFault, parseJson } from "../json/parse-json.ts";
import { compactJson, fromValue } from "../json/write-json.ts";

/** The input of a person for one request. */
export interface RequestDraft {
  /** With an approval: how long it holds. */
  readonly grant: GrantOption;
  /** With a question or a result: the text of a JSON value; for a question without a schema also plain text. */
  readonly value: string;
}

/** The duration of an approval, as a choice of the page. */
export type GrantOption = "once" | "session" | "session-any" | "always" | "always-any";

/** The choices with what they mean. */
export const grantOptions: readonly (readonly [GrantOption, string])[] = [
  ["once", "Only this call"],
  ["session", "This session, with the same arguments"],
  ["session-any", "This session, with any arguments"],
  ["always", "Until revoked, with the same arguments"],
  ["always-any", "Until revoked, with any arguments"],
];

/** The choice of a person as the API takes it; `undefined`: nothing is stored. */
export function toGrantChoice(option: GrantOption): GrantChoice | undefined {
  if (option === "once") return undefined;
  const scope = option.startsWith("session") ? "session" : "always";
  return option.endsWith("-any") ? { scope, arguments: "any" } : scope;
}

/** The answers that a person gives as JSON text, whose numbers have all their digits, or why they cannot be sent. */
export type ReadAnswers =
  | { readonly json: string; readonly problem?: undefined }
  | { readonly problem: string; readonly json?: undefined };

/**
 * Makes the answers with which a person approves.
 *
 * @param edited The arguments that replace the displayed ones. Absent: nothing was edited.
 */
export function approveAnswers(
  requests: readonly InterruptionRequest[],
  drafts: Readonly<Record<string, RequestDraft>>,
  edited: FormNode | undefined,
): ReadAnswers {
  const answers: FormNode[] = [];
  for (const request of requests) {
    const draft = drafts[request.id];
    const requestId = textNode(request.id);
    if (request.type === "input" || request.type === "result") {
      const text = draft?.value ?? "";
      const isPlain = request.type === "input" && request.schema === undefined;
      const read = parseJson(text);
      if (isFault(read) && !isPlain) {
        const subject = request.type === "input" ? "answer is not complete" : "result is no JSON";
        return { problem: `The ${subject}.` };
      }
      const value = isFault(read) ? textNode(text) : read;
      answers.push(
        objectNode([
          ["type", textNode(request.type)],
          ["requestId", requestId],
          ["value", value],
        ]),
      );
      continue;
    }
    const grant = request.type === "approval" ? toGrantChoice(draft?.grant ?? "once") : undefined;
    const isEdited = request.type === "approval" && edited !== undefined;
    answers.push(
      objectNode([
        ["type", textNode("approve")],
        ["requestId", requestId],
        ...(grant === undefined ? [] : [["grant", fromValue(grant)] as const]),
        ...(isEdited ? [["arguments", edited] as const] : []),
      ]),
    );
  }
  return { json: compactJson(arrayNode(answers)) };
}

/** Makes the answers, as JSON text, with which a person rejects the call: one for each request. */
export function rejectAnswers(requests: readonly InterruptionRequest[], reason: string): string {
  const answers = requests.map(({ id }): Answer => ({
    type: "reject",
    requestId: id,
    ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
  }));
  return JSON.stringify(answers);
}
