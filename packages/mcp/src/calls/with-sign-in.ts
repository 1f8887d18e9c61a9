import {
  suspend,
  ToolError,
  type Answer,
  type JsonObject,
  type JsonValue,
  type Suspension,
  type ToolContext,
  type ToolOutput,
} from "@toolweave/core";
import { visibleText, type AuthRequest, ellipsize } from "@toolweave/core/adapter";
import type { ServerAuth } from "../auth/server-auth.ts";
import { SignInRequired } from "../auth/sign-in-required.ts";

/** Maximum number of sign-ins of one call: one to connect, one for the scopes of the tool, and one more. */
const maxRounds = 3;

/** State of a call that waits for a sign-in. */
interface CallSignIn {
  /** Distinguishes it from other states of a suspended call. */
  readonly waits: "mcp-sign-in";
  /** The owner of the credentials. */
  readonly owner: string | null;
  readonly request: AuthRequest;
  readonly scopes: readonly string[];
  /** Secret. */
  readonly begun: JsonObject;
  /** Hash of the previous token. */
  readonly before: string | null;
  readonly round: number;
  /** Value that the call was resumed with when it was rejected: it continues from there. */
  readonly resumed: { readonly state: JsonValue; readonly answers: readonly Answer[] } | null;
}

/** Value that a call is resumed with. */
export type Resumed = ToolContext["resumed"];

/**
 * Makes a call that may require a sign-in. It then suspends with the URL as an `auth` request and is resumed with the
 * answer: the URL that the person was redirected to, or a code. Other values that the call was resumed with are
 * stored in the meantime.
 *
 * @param auth Absent: there is no sign-in.
 * @param call Receives the value that the call is resumed with, without sign-ins: use it instead of `ctx.resumed`.
 * @throws ToolError `approval_rejected` when a person declined to sign in; `auth_required` when the sign-in failed.
 */
export function withSignIn(
  auth: ServerAuth | undefined,
  ctx: ToolContext,
  call: (resumed: Resumed) => Promise<ToolOutput | Suspension>,
): Promise<ToolOutput | Suspension> {
  return auth === undefined ? call(ctx.resumed) : runWithSignIn(auth, ctx, call);
}

async function runWithSignIn(
  auth: ServerAuth,
  ctx: ToolContext,
  call: (resumed: Resumed) => Promise<ToolOutput | Suspension>,
): Promise<ToolOutput | Suspension> {
  const { resumed } = ctx;
  const signIn = resumed === undefined ? undefined : readSignIn(resumed.state);
  let inner = resumed;
  if (resumed !== undefined && signIn !== undefined) {
    if (!(await resumeSignIn(auth, ctx, signIn, resumed.answers))) return suspension(signIn);
    inner = signIn.resumed ?? undefined;
  }
  try {
    return await call(inner);
  } catch (error) {
    if (!(error instanceof SignInRequired)) throw error;
    return suspendForSignIn(auth, ctx, error, signIn, inner);
  }
}

/** True if a person has signed in, here or elsewhere. */
async function resumeSignIn(
  auth: ServerAuth,
  ctx: ToolContext,
  signIn: CallSignIn,
  answers: readonly Answer[],
): Promise<boolean> {
  const owner = auth.getOwner(ctx);
  if (signIn.owner !== (owner ?? null)) {
    throw new ToolError("auth_required", "This sign-in was started on behalf of another caller.");
  }
  const rejected = answers.find((answer) => answer.type === "reject");
  if (rejected !== undefined) {
    const why = rejected.reason === undefined ? "" : ` Reason: ${rejected.reason}`;
    throw new ToolError(
      "approval_rejected",
      `The person declined to sign in, so the call was not sent.${why} Do not repeat the call.`,
    );
  }
  // A retry after the sign-in, or a sign-in elsewhere: a code can be used only once.
  const now = await hashToken(auth, owner);
  if (now !== null && now !== signIn.before) return true;
  const { id } = signIn.request;
  const answer =
    answers.find(({ requestId }) => requestId === id) ??
    answers.find(({ requestId }) => requestId === undefined);
  if (answer?.type !== "input") return false;
  const { value } = answer;
  if (typeof value !== "string" || value.trim() === "") {
    throw new ToolError(
      "auth_required",
      "The answer to the sign-in is neither the redirect URL nor a code. A person must sign in again: repeat the call.",
    );
  }
  await auth.finish(owner, signIn.begun, value.trim());
  return true;
}

async function suspendForSignIn(
  auth: ServerAuth,
  ctx: ToolContext,
  error: SignInRequired,
  last: CallSignIn | undefined,
  inner: Resumed,
): Promise<Suspension> {
  const { challenge } = error;
  const round = (last?.round ?? 0) + 1;
  // After a sign-in, the same scopes are not requested again.
  const isMore =
    last === undefined || challenge.scopes.some((scope) => !last.scopes.includes(scope));
  if (!isMore || round > maxRounds) {
    throw new ToolError(
      "auth_required",
      `A person has signed in for ${ctx.toolName}, but the server still rejects the call: the account may not have the required permissions. Do not repeat the call.`,
      { cause: error, retryable: false },
    );
  }
  const owner = auth.getOwner(ctx);
  const begun = await auth.begin(owner, challenge);
  const scopes =
    begun.scopes.length === 0
      ? ""
      : ` Requested scopes: ${formatForPerson(begun.scopes.join(" "))}.`;
  return suspension({
    waits: "mcp-sign-in",
    owner: owner ?? null,
    request: {
      id: `${ctx.callId}:auth:${round}`,
      type: "auth",
      credential: "oauth",
      message: `${ctx.toolName} requires you to sign in at ${new URL(begun.url).origin}.${scopes}`,
      url: begun.url,
    },
    scopes: begun.scopes,
    begun: begun.state,
    before: await hashToken(auth, owner),
    round,
    resumed: inner ?? null,
  });
}

function suspension(signIn: CallSignIn): Suspension {
  return suspend([signIn.request], signIn as unknown as JsonValue);
}

function readSignIn(state: JsonValue): CallSignIn | undefined {
  const isOurs =
    typeof state === "object" &&
    state !== null &&
    (state as { readonly waits?: unknown }).waits === "mcp-sign-in";
  return isOurs ? (state as unknown as CallSignIn) : undefined;
}

async function hashToken(auth: ServerAuth, owner: string | undefined): Promise<string | null> {
  const token = await auth.token(owner);
  if (token === undefined) return null;
  // Loaded on demand: Node.js takes several milliseconds for it.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(token.accessToken).digest("base64url");
}

const maxLength = 300;

/** Formats a text of the server for a person: on one line, so that it cannot pass for a part of the message. */
function formatForPerson(text: string): string {
  return ellipsize(visibleText(text).replace(/\s+/g, " ").trim(), maxLength);
}
