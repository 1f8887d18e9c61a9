import type { ProblemRow } from "@toolweave/console";
import type { Page } from "../api/paged-resource.ts";
import { useResource } from "../api/resource.ts";
import { Link } from "../navigation/link.tsx";
import { queryValue, setQuery } from "../navigation/location.ts";
import { toPath } from "../navigation/routes.ts";
import { formatCount } from "../text/format.ts";
import { safeLine, safeProse } from "../text/safe-text.ts";
import { Badge } from "../ui/badge.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";

/** Problems of sources, tools and the configuration: where they are, and what to do. */
export function ProblemsScreen() {
  const resource = useResource<Page<ProblemRow>>("/api/problems");
  const source = queryValue("source");
  return (
    <Loaded resource={resource}>
      {({ items }) => {
        const rows = items.filter((problem) => source === "" || problem.source === source);
        return (
          <>
            <ScreenHeader
              title="Problems"
              detail={
                source === ""
                  ? formatCount(rows.length, "problem")
                  : `${formatCount(rows.length, "problem")} of ${safeLine(source)}`
              }
              actions={
                source === "" ? undefined : (
                  <button type="button" class="button" onClick={() => setQuery({ source: "" })}>
                    All sources
                  </button>
                )
              }
            />
            {rows.length === 0 ? (
              <EmptyState title="There are no problems">
                <p>All sources and tools could be read.</p>
              </EmptyState>
            ) : (
              <ul class="problem-list">
                {rows.map((problem, index) => (
                  <Problem key={index} problem={problem} />
                ))}
              </ul>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function Problem({ problem }: { problem: ProblemRow }) {
  const { source, message, place, tool, kind, severity } = problem;
  return (
    <li class="card problem">
      <p class="problem-message">{safeProse(message)}</p>
      <p class="problem-facts">
        <Badge tone={severity === "error" ? "bad" : "warning"}>{safeLine(severity)}</Badge>
        <Badge>{safeLine(kind)}</Badge>
        <span>{safeLine(source)}</span>
        {tool !== undefined && (
          <Link href={toPath("tools", tool)} class="mono">
            {safeLine(tool)}
          </Link>
        )}
        {place !== undefined && <code class="code">{safeLine(place)}</code>}
      </p>
    </li>
  );
}
