import type { AuditRow } from "@toolweave/console";
import { useState } from "preact/hooks";
import { usePages } from "../api/paged-resource.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { formatTime } from "../text/format.ts";
import { safeLine } from "../text/safe-text.ts";
import { Attached } from "../ui/attached.tsx";
import { Badge, type Tone } from "../ui/badge.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { PagedList } from "../ui/paged-list.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { EmptyState } from "../ui/states.tsx";

const tones: Readonly<Record<string, Tone>> = {
  allowed: "good",
  granted: "good",
  approved: "good",
  asked: "warning",
  rejected: "bad",
  denied: "bad",
};

/** The audit: each decision with its rule, the person and the hash of the entry. */
export function AuditScreen() {
  const [version, setVersion] = useState(0);
  return (
    <>
      <ScreenHeader
        title="Audit"
        detail="Who decided what, newest first"
        actions={
          <button type="button" class="button" onClick={() => setVersion(version + 1)}>
            Read again
          </button>
        }
      />
      <Attached what="audit">
        <Entries key={version} />
      </Attached>
    </>
  );
}

function Entries() {
  const pages = usePages<AuditRow>("/api/audit?limit=100");
  return (
    <PagedList
      pages={pages}
      empty={
        <EmptyState title="The audit is empty">
          <p>Each decision about a call has an entry here, as soon as a gateway has written it.</p>
        </EmptyState>
      }
    >
      {(items) => (
        <ul class="audit">
          {items.map((row) => (
            <li key={row.seq}>
              <details>
                <summary class="audit-row">
                  <span class="muted mono">{formatTime(row.time)}</span>
                  <span class="mono">{row.tool === undefined ? "" : safeLine(row.tool)}</span>
                  <span>
                    {row.decision !== undefined && (
                      <Badge tone={tones[row.decision] ?? "neutral"}>
                        {safeLine(row.decision)}
                      </Badge>
                    )}
                  </span>
                  <span>{row.by === undefined ? "" : `by ${safeLine(row.by)}`}</span>
                  <span class="muted">{row.rule === undefined ? "" : safeLine(row.rule)}</span>
                </summary>
                <div class="audit-entry">
                  <p class="muted">
                    Entry {row.seq}
                    {row.hash !== undefined && (
                      <>
                        , hash of the arguments <code class="code">{safeLine(row.hash)}</code>
                      </>
                    )}
                    {row.runId !== undefined && (
                      <>
                        {" · "}
                        <Link href={toPath("runs", row.runId)}>Open the run</Link>
                      </>
                    )}
                  </p>
                  <JsonView value={row.entry} label={`Entry ${row.seq}`} />
                </div>
              </details>
            </li>
          ))}
        </ul>
      )}
    </PagedList>
  );
}
