import { ToolError } from "@toolweave/core";
import type { CredentialKey, CredentialStore } from "@toolweave/core/stores";

/**
 * Renews a stored credential while no other process does. `renew` reads the store again: another process may have renewed
 * the credential meanwhile.
 *
 * @throws ToolError `store_unavailable` when the store fails; the errors of `renew`.
 */
export async function renewExclusively<T>(
  store: CredentialStore,
  key: CredentialKey,
  renew: () => Promise<T>,
): Promise<T> {
  if (typeof store.exclusive !== "function") return renew();
  let renewal: Promise<T> | undefined;
  try {
    await store.exclusive(key, async () => void (await (renewal ??= renew())));
  } catch (cause) {
    // The renewal has failed: its error counts, and not that of the store.
    if (renewal !== undefined) return renewal;
    throw new ToolError(
      "store_unavailable",
      "The credential store is not available, so nothing was sent. Try again later.",
      { cause },
    );
  }
  return renewal ?? renew();
}
