import { createHash } from "node:crypto";
import {
  suspend,
  ToolError,
  visibleText,
  type Answer,
  type AuthRequest,
  type JsonObject,
  type JsonValue,
  type Suspension,
  type ToolContext,
  type ToolOutput,
} from "@toolweave/core";
import type { ServerAuth } from "../auth/server-auth.ts";
import { SignInRequired } from "../auth/sign-in-required.ts";

/** Times that one call asks for a sign-in: one to connect, one for what the tool needs, and one more. */
const maxRounds = 3;

/** What a call goes on with once somebody has signed in. */
interface CallSignIn {
  /** Tells it from what else a call can wait for. */
  readonly waits: "mcp-sign-in";
  /** Whose sign-in it is. */
  readonly owner: string | null;
  readonly request: AuthRequest;
  readonly scopes: readonly string[];
  /** Secret. */
  readonly begun: JsonObject;
  /** Names the token that there was, without telling it. */
  readonly before: string | null;
  readonly round: number;
  /** What the call was resumed with itself, when it was refused: it goes on from there. */
  readonly resumed: { readonly state: JsonValue; readonly answers: readonly Answer[] } | null;
}

/** What a call was resumed with. */
export type Resumed = ToolContext["resumed"];

/**
 * Makes a call for which somebody may have to sign in. Then it suspends, with the address as an `auth` request, and goes
 * on with the answer: the URL to which the person was led back, or a code. Whatever else the call was resumed with waits
 * meanwhile.
 *
 * @param auth absent: nobody can sign in.
 * @param call gets what the call is resumed with, sign-ins aside: use it in place of `ctx.resumed`.
 * @throws ToolError `approval_rejected` when a person would not sign in; `auth_required` when it failed.
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
  const signIn = resumed === undefined ? undefined : signInOf(resumed.state);
  let inner = resumed;
  if (resumed !== undefined && signIn !== undefined) {
    if (!(await resumeSignIn(auth, ctx, signIn, resumed.answers))) return suspension(signIn);
    inner = signIn.resumed ?? undefined;
  }
  try {
    return await call(inner);
  } catch (error) {
    if (!(error instanceof SignInRequired)) throw error;
    return ask(auth, ctx, error, signIn, inner);
  }
}

/** True when somebody has signed in, be it elsewhere. */
async function resumeSignIn(
  auth: ServerAuth,
  ctx: ToolContext,
  signIn: CallSignIn,
  answers: readonly Answer[],
): Promise<boolean> {
  const owner = auth.ownerOf(ctx);
  if (signIn.owner !== (owner ?? null)) {
    throw new ToolError("auth_required", "This sign-in was begun on behalf of somebody else.");
  }
  const rejected = answers.find((answer) => answer.type === "reject");
  if (rejected !== undefined) {
    const why = rejected.reason === undefined ? "" : ` Reason: ${rejected.reason}`;
    throw new ToolError(
      "approval_rejected",
      `A person would not sign in, so that nothing was sent.${why} Do not repeat the call.`,
    );
  }
  // It is tried once more after its sign-in, or somebody has signed in elsewhere: a code is good only once.
  const now = await tokenName(auth, owner);
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
      "The sign-in was answered with what is neither the address that it led back to nor a code. A person has to sign in again: repeat the call.",
    );
  }
  await auth.finish(owner, signIn.begun, value.trim());
  return true;
}

async function ask(
  auth: ServerAuth,
  ctx: ToolContext,
  error: SignInRequired,
  last: CallSignIn | undefined,
  inner: Resumed,
): Promise<Suspension> {
  const { challenge } = error;
  const round = (last?.round ?? 0) + 1;
  // Whoever has just signed in is not sent there for the same again.
  const isMore =
    last === undefined || challenge.scopes.some((scope) => !last.scopes.includes(scope));
  if (!isMore || round > maxRounds) {
    throw new ToolError(
      "auth_required",
      `Somebody has signed in for ${ctx.toolName}, and its server still refuses the call: the account may not have the rights for it. Do not repeat the call.`,
      { cause: error, retryable: false },
    );
  }
  const owner = auth.ownerOf(ctx);
  const begun = await auth.begin(owner, challenge);
  const scopes = begun.scopes.length === 0 ? "" : ` It asks for: ${shown(begun.scopes.join(" "))}.`;
  return suspension({
    waits: "mcp-sign-in",
    owner: owner ?? null,
    request: {
      id: `${ctx.callId}:auth:${round}`,
      type: "auth",
      credential: "oauth",
      message: `${ctx.toolName} needs you to sign in at ${new URL(begun.url).origin}.${scopes}`,
      url: begun.url,
    },
    scopes: begun.scopes,
    begun: begun.state,
    before: await tokenName(auth, owner),
    round,
    resumed: inner ?? null,
  });
}

function suspension(signIn: CallSignIn): Suspension {
  return suspend([signIn.request], signIn as unknown as JsonValue);
}

function signInOf(state: JsonValue): CallSignIn | undefined {
  const isOurs =
    typeof state === "object" &&
    state !== null &&
    (state as { readonly waits?: unknown }).waits === "mcp-sign-in";
  return isOurs ? (state as unknown as CallSignIn) : undefined;
}

async function tokenName(auth: ServerAuth, owner: string | undefined): Promise<string | null> {
  const token = await auth.token(owner);
  if (token === undefined) return null;
  return createHash("sha256").update(token.accessToken).digest("base64url");
}

const longest = 300;

/** Words of a server's, for a person: on one line, so that they cannot be taken for more of the message. */
function shown(text: string): string {
  const visible = visibleText(text).replace(/\s+/g, " ").trim();
  return visible.length <= longest ? visible : `${visible.slice(0, longest)}…`;
}
