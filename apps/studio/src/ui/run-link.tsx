import type { RunRow } from "@toolweave/console";
import { withQuery } from "../api/client.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { shortId } from "../text/format.ts";
import { safeLine } from "../text/safe-text.ts";

/** A link to a run of this process or of a recording, with a short form of its id. */
export function RunLink({ run: { runId, recording } }: { run: RunRow }) {
  return (
    <Link
      class="mono"
      title={safeLine(runId)}
      href={withQuery(toPath("runs", runId), { recording })}
    >
      {safeLine(shortId(runId))}
    </Link>
  );
}
