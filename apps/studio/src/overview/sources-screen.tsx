import { status } from "../api/live.ts";
import { formatCount } from "../text/format.ts";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { Loaded } from "../ui/states.tsx";
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
          <SourceTable sources={sources} />
        </>
      )}
    </Loaded>
  );
}
