import {
  ToolError,
  visibleText,
  type Answer,
  type AuthRequest,
  type JsonObject,
  type JsonValue,
  type TokenCredential,
  type ToolContext,
} from "@toolweave/core";
import type { OAuthClient } from "@toolweave/http";
import { isRecord } from "../document/record.ts";
import type { OAuthFlow } from "./openapi-auth.ts";
import type { SchemeUse } from "./security.ts";
import type { SourceSecrets } from "./source-secrets.ts";

/** A sign-in that a person has been asked for. Plain JSON: another process may go on with it. */
export interface PendingSignIn {
  readonly scheme: string;
  readonly flow: OAuthFlow;
  readonly scopes: readonly string[];
  /** What the person sees. */
  readonly request: AuthRequest;
  /** The authorization server's client's own. Secret. */
  readonly state: JsonObject;
}

/** What a suspended call goes on with. */
export interface SignInState {
  /** Whose sign-ins they are. */
  readonly caller: string | null;
  readonly signIns: readonly PendingSignIn[];
}

/** Begins a sign-in: what the person is asked for, and what it goes on with. */
export async function beginSignIn(
  use: SchemeUse,
  flow: OAuthFlow,
  scopes: readonly string[],
  client: OAuthClient,
  id: string,
  { toolName, signal }: ToolContext,
  secrets: SourceSecrets,
): Promise<PendingSignIn> {
  const { scheme } = use;
  const device = flow === "deviceAuthorization" ? await client.beginDevice(signal) : undefined;
  const { url, state } = device ?? (await client.beginAuthorization(signal));
  const userCode = device?.userCode;
  registerState(state, url, secrets);
  const { origin } = new URL(url);
  const asked = scopes.length === 0 ? "" : ` It asks for: ${formatServerName(scopes.join(" "))}.`;
  const code = userCode === undefined ? "" : " Compare the code there with this one.";
  const request: AuthRequest = {
    id,
    type: "auth",
    credential: formatServerName(scheme),
    message: `${toolName} needs you to sign in at ${origin}.${asked}${code}`,
    url,
    ...(userCode === undefined ? {} : { userCode }),
  };
  return { scheme, flow, scopes, request, state };
}

/**
 * Goes on with a sign-in.
 *
 * @returns the token; nothing while the person has not signed in.
 * @throws ToolError `approval_rejected` when the person will not, `auth_required` when it has failed.
 */
export async function finishSignIn(
  { scheme, flow, request, state }: PendingSignIn,
  answers: readonly Answer[],
  client: OAuthClient,
  signal: AbortSignal,
  secrets: SourceSecrets,
): Promise<TokenCredential | undefined> {
  const answer = answerFor(request.id, answers);
  registerState(state, request.url ?? "", secrets);
  if (flow === "deviceAuthorization") return client.finishDevice(state, signal);
  // Whoever only says so has signed in elsewhere, and the store would know.
  if (answer?.type !== "input") return undefined;
  const { value } = answer;
  if (typeof value !== "string" || value.trim() === "") {
    throw new ToolError(
      "auth_required",
      `The sign-in for "${formatServerName(scheme)}" was answered with what is neither the address that it led back to nor a code. A person has to sign in again: repeat the call.`,
    );
  }
  const text = value.trim();
  secrets.renewed(URL.parse(text)?.searchParams.get("code") ?? text);
  return client.finishAuthorization(text, state, signal);
}

/**
 * A no to any of them is a no to the call.
 *
 * @throws ToolError `approval_rejected`.
 */
export function refuseRejected(
  signIns: readonly PendingSignIn[],
  answers: readonly Answer[],
): void {
  const rejected = answers.find((answer) => answer.type === "reject");
  if (rejected === undefined) return;
  const names = signIns.map(({ scheme }) => `"${formatServerName(scheme)}"`).join(" and ");
  const why = rejected.reason === undefined ? "" : ` Reason: ${rejected.reason}`;
  throw new ToolError(
    "approval_rejected",
    `A person would not sign in for ${names}, so that nothing was sent.${why} Do not repeat the call.`,
  );
}

/** What a suspended call of this room goes on with; nothing when it is not of this room. */
export function readSignInState(state: JsonValue): SignInState | undefined {
  if (!isRecord(state) || !Array.isArray(state["signIns"])) return undefined;
  return state as unknown as SignInState;
}

function answerFor(id: string, answers: readonly Answer[]): Answer | undefined {
  return (
    answers.find(({ requestId }) => requestId === id) ??
    answers.find(({ requestId }) => requestId === undefined)
  );
}

/** What a state holds that the person does not see in the address anyway. */
function registerState(state: JsonObject, url: string, secrets: SourceSecrets): void {
  for (const member of ["verifier", "deviceCode"]) {
    const value = state[member];
    if (typeof value === "string" && !url.includes(value)) secrets.renewed(value);
  }
}

const maxTextLength = 300;

/** Names of the document's, for a person: on one line, so that they cannot be taken for more of the message. */
function formatServerName(text: string): string {
  const visible = visibleText(text).replace(/\s+/g, " ").trim();
  return visible.length <= maxTextLength ? visible : `${visible.slice(0, maxTextLength)}…`;
}
