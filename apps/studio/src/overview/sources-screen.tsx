import { status } from "../api/live.ts";
import { formatCount } from "../text/format.ts";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { SourceTable } from "./source-table.tsx";

/** All sources. */
export function SourcesScreen() {
  return (
    <Loaded resource={status}>
      {({ sources, tools }) => (
        <>
          <ScreenHeader
            title="Sources"
            detail={`${formatCount(sources.length, "source")} with ${formatCount(tools.total, "tool")}`}
          />
          {sources.length === 0 ? (
            <EmptyState title="There are no sources">
              <p>
                Add MCP servers, OpenAPI documents or modules to{" "}
                <code class="code">toolweave.json</code>, then start Studio again.
              </p>
            </EmptyState>
          ) : (
            <SourceTable sources={sources} />
          )}
        </>
      )}
    </Loaded>
  );
}
