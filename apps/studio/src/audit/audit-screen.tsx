import type { AuditRow } from "@toolweave/console";
import { useState } from "preact/hooks";
import { usePages } from "../api/paged-resource.ts";
import { withQuery } from "../api/client.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { formatTime } from "../text/format.ts";
import { safeLine } from "../text/safe-text.ts";
import { Attached } from "../ui/attached.tsx";
import { Badge, type Tone } from "../ui/badge.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { PagedList } from "../ui/paged-list.tsx";
import { SearchInput } from "../ui/search-input.tsx";
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
  const [who, setWho] = useState("");
  return (
    <>
      <ScreenHeader
        title="Audit"
        detail="Who decided what, newest first"
        actions={
          <button type="button" class="button" onClick={() => setVersion(version + 1)}>
            Refresh
          </button>
        }
      />
      <Attached what="audit">
        <div class="search-row" role="search">
          <SearchInput
            label="Decisions of one caller or person"
            placeholder="The whole id of a caller, or the name of a person"
            value={who}
            onInput={setWho}
          />
        </div>
        <Entries key={version} who={who.trim()} onWho={setWho} />
      </Attached>
    </>
  );
}

function Entries({ who, onWho }: { who: string; onWho: (who: string) => void }) {
  const pages = usePages<AuditRow>(withQuery("/api/audit", { limit: 100, who }));
  return (
    <PagedList
      pages={pages}
      empty={
        who === "" ? (
          <EmptyState title="The audit is empty">
            <p>
              Each decision about a call has an entry here, as soon as a gateway has written it.
            </p>
          </EmptyState>
        ) : (
          <EmptyState title="No decision matches">
            <p>Write the whole id of a caller, or the whole name of a person.</p>
          </EmptyState>
        )
      }
    >
      {(items) => (
        <ul class="audit">
          {items.map((row) => (
            <li key={row.seq}>
              <details>
                <summary class="audit-row">
                  <span class="muted mono">{formatTime(row.time)}</span>
                  <span>{toWho(row)}</span>
                  <span class="mono">{row.tool === undefined ? "" : safeLine(row.tool)}</span>
                  <span>
                    {row.decision !== undefined && (
                      <Badge tone={tones[row.decision] ?? "neutral"}>
                        {safeLine(row.decision)}
                      </Badge>
                    )}
                  </span>
                  <span>{row.by === undefined ? "" : `by ${safeLine(row.by)}`}</span>
                  <span class="muted">{safeLine(row.reason ?? row.rule ?? "")}</span>
                </summary>
                <div class="audit-entry">
                  <p class="muted">
                    Entry {row.seq}
                    {row.from !== undefined && `, from ${safeLine(row.from)}`}
                    {row.rule !== undefined && `, by the rule ${safeLine(row.rule)}`}
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
                  {row.caller !== undefined && row.caller !== who && (
                    <button type="button" class="button" onClick={() => onWho(row.caller ?? "")}>
                      Only decisions for {safeLine(row.caller)}
                    </button>
                  )}
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

/** The caller of a decision: `ada (via desk)`. */
function toWho({ caller, agent }: AuditRow): string {
  if (caller === undefined) return "";
  return agent === undefined ? safeLine(caller) : `${safeLine(caller)} (via ${safeLine(agent)})`;
}
