import type {
  Answer,
  GrantChoice,
  InterruptionRequest,
  JsonObject,
  JsonValue,
} from "@toolweave/core";

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

/** The answers that a person gives, or why they cannot be sent. */
export type ReadAnswers =
  | { readonly answers: readonly Answer[]; readonly problem?: undefined }
  | { readonly problem: string; readonly answers?: undefined };

/**
 * Makes the answers with which a person approves.
 *
 * @param edited The arguments that replace the displayed ones. Absent: nothing was edited.
 */
export function approveAnswers(
  requests: readonly InterruptionRequest[],
  drafts: Readonly<Record<string, RequestDraft>>,
  edited: JsonObject | undefined,
): ReadAnswers {
  const answers: Answer[] = [];
  for (const request of requests) {
    const draft = drafts[request.id];
    const requestId = request.id;
    if (request.type === "input" || request.type === "result") {
      const text = draft?.value ?? "";
      const isPlain = request.type === "input" && request.schema === undefined;
      const value = readValue(text) ?? (isPlain ? { json: text } : undefined);
      if (value === undefined) {
        const subject = request.type === "input" ? "answer is not complete" : "result is no JSON";
        return { problem: `The ${subject}.` };
      }
      answers.push({ type: request.type, requestId, value: value.json });
      continue;
    }
    const grant = request.type === "approval" ? toGrantChoice(draft?.grant ?? "once") : undefined;
    const isEdited = request.type === "approval" && edited !== undefined;
    answers.push({
      type: "approve",
      requestId,
      ...(grant === undefined ? {} : { grant }),
      ...(isEdited ? { arguments: edited } : {}),
    });
  }
  return { answers };
}

/** Makes the answers with which a person rejects the call: one for each request. */
export function rejectAnswers(
  requests: readonly InterruptionRequest[],
  reason: string,
): readonly Answer[] {
  return requests.map(({ id }) => ({
    type: "reject",
    requestId: id,
    ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
  }));
}

function readValue(text: string): { readonly json: JsonValue } | undefined {
  try {
    return { json: JSON.parse(text) as JsonValue };
  } catch {
    return undefined;
  }
}
