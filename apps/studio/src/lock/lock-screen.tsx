import type { LockDiff } from "@toolweave/console";
import { useResource } from "../api/resource.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { ChangeList } from "../results/change-list.tsx";
import { formatCount } from "../text/format.ts";
import { safeLine } from "../text/safe-text.ts";
import { Attached } from "../ui/attached.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";

/** The differences between the lock file and the tools as they are. */
export function LockScreen() {
  return (
    <>
      <ScreenHeader title="Lock" detail="The tools as they are, compared with the lock file" />
      <Attached what="lock">
        <Differences />
      </Attached>
    </>
  );
}

function Differences() {
  const resource = useResource<LockDiff>("/api/lock/diff");
  return (
    <Loaded resource={resource}>
      {({ file, added, removed, changed, command }) => {
        const isSame = added.length + removed.length + changed.length === 0;
        return (
          <>
            {file !== undefined && (
              <p class="muted">
                Lock file: <code class="code">{safeLine(file)}</code>
              </p>
            )}
            {!isSame && (
              <p class="command">
                <span>To accept these definitions:</span>
                <code class="code">{safeLine(command)}</code>
                <CopyButton text={() => command} />
              </p>
            )}
            {isSame && (
              <EmptyState title="Nothing has changed">
                <p>Each tool has the definition that is in the lock file.</p>
              </EmptyState>
            )}
            {changed.map(({ tool, changes }) => (
              <section key={tool} class="card">
                <h2>
                  <Link href={`${toPath("tools", tool)}?tab=lock`} class="mono">
                    {safeLine(tool)}
                  </Link>
                </h2>
                <ChangeList changes={changes} />
              </section>
            ))}
            <Names title="New" names={added} linked />
            <Names title="Removed" names={removed} linked={false} />
          </>
        );
      }}
    </Loaded>
  );
}

const maxNames = 500;

function Names(props: { title: string; names: readonly string[]; linked: boolean }) {
  const { title, names, linked } = props;
  if (names.length === 0) return null;
  return (
    <section class="card">
      <h2>
        {title}: {formatCount(names.length, "tool")}
      </h2>
      <ul class="name-list">
        {names.slice(0, maxNames).map((name) => (
          <li key={name} class="mono">
            {linked ? <Link href={toPath("tools", name)}>{safeLine(name)}</Link> : safeLine(name)}
          </li>
        ))}
      </ul>
      {names.length > maxNames && (
        <p class="muted">… {formatCount(names.length - maxNames, "more tool")}</p>
      )}
    </section>
  );
}
