import { safeProse } from "../text/safe-text.ts";

/** Explains how to start a session. */
export function SessionEnded({ message }: { message: string }) {
  return (
    <main class="session-ended">
      <h1>Session ended</h1>
      <p>{safeProse(message)}</p>
      <p>
        Run <code class="code">toolweave studio</code> in the folder of your configuration and open
        the link that it prints. Each link works once, and each tab has a session of its own.
      </p>
    </main>
  );
}
