import type { ToolDetails } from "@toolweave/console";
import { ChangeList } from "../results/change-list.tsx";
import { safeLine } from "../text/safe-text.ts";
import { Attached } from "../ui/attached.tsx";
import { EmptyState } from "../ui/states.tsx";
import { Link } from "../navigation/link.tsx";

/** The differences between a tool and its definition in the lock file. */
export function LockTab({ tool: { lock, specHash } }: { tool: ToolDetails }) {
  if (lock === undefined) {
    return (
      <Attached what="lock">
        <EmptyState title="The lock file cannot be read">
          <Link href="/lock">See why</Link>
        </EmptyState>
      </Attached>
    );
  }
  const hash = (
    <p class="muted lock-hash">
      SHA-256 of the definition: <code class="code">{safeLine(specHash)}</code>
    </p>
  );
  if (lock.state === "locked") {
    return (
      <>
        <p class="notice good">The definition is the one in the lock file.</p>
        {hash}
      </>
    );
  }
  return (
    <>
      <p class="notice warning">
        {lock.state === "new"
          ? "The tool is not in the lock file."
          : "The definition has changed since the lock file was written."}{" "}
        <Link href="/lock">See all differences</Link>
      </p>
      {lock.changes !== undefined && <ChangeList changes={lock.changes} />}
      {hash}
    </>
  );
}
