import type { ConsoleScope, Session } from "@toolweave/console";
import { signal } from "@preact/signals";
import { readProblem } from "./problem.ts";

/** Whether the page may use the API. */
export type SessionState =
  | { readonly status: "starting" }
  | { readonly status: "ready"; readonly session: Session }
  /** `message` is what a person reads; without a start link there has never been a session in this tab. */
  | { readonly status: "ended"; readonly message: string };

const storageKey = "toolweave.session";

/** The session of this tab. */
export const session = signal<SessionState>({ status: "starting" });

/** Whether the session has a scope. */
export function hasScope(scope: ConsoleScope): boolean {
  const state = session.value;
  return state.status === "ready" && state.session.scopes.includes(scope);
}

/**
 * Starts the session of this tab: with the code in the fragment of the address, which is removed from the address and
 * the history first, or with the session that the tab has stored.
 */
export async function startSession(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code !== null) {
    history.replaceState(history.state, "", location.pathname + location.search);
    await redeemCode(code);
    return;
  }
  const stored = readStored();
  session.value =
    stored === undefined
      ? { status: "ended", message: "This tab has no session." }
      : { status: "ready", session: stored };
}

async function redeemCode(code: string): Promise<void> {
  try {
    const response = await fetch("/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
      credentials: "omit",
    });
    if (!response.ok) {
      const { message } = await readProblem(response);
      endSession(message);
      return;
    }
    const started = (await response.json()) as Session;
    sessionStorage.setItem(storageKey, JSON.stringify(started));
    session.value = { status: "ready", session: started };
  } catch {
    endSession("The server did not answer.");
  }
}

function readStored(): Session | undefined {
  try {
    const text = sessionStorage.getItem(storageKey);
    if (text === null) return undefined;
    const stored = JSON.parse(text) as Session;
    return stored.expiresAt > Date.now() ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** Forgets the token: the server no longer accepts it, or the person has ended the session. */
export function endSession(message: string): void {
  sessionStorage.removeItem(storageKey);
  session.value = { status: "ended", message };
}

/** The token of the session; `undefined`: there is none. */
export function sessionToken(): string | undefined {
  const state = session.peek();
  return state.status === "ready" ? state.session.token : undefined;
}
