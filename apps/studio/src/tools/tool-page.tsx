import type { ToolDetails } from "@toolweave/console";
import { useResource } from "../api/resource.ts";
import { Link } from "../navigation/link.tsx";
import { queryValue, setQuery } from "../navigation/location.ts";
import { formatCount } from "../text/format.ts";
import { safeLine, safeText } from "../text/safe-text.ts";
import { Badge, EffectBadge } from "../ui/badge.tsx";
import { Icon } from "../ui/icon.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { Loaded } from "../ui/states.tsx";
import { Tabs, type Tab } from "../ui/tabs.tsx";
import { CallTab } from "./call-tab.tsx";
import { HistoryTab } from "./history-tab.tsx";
import { LockTab } from "./lock-tab.tsx";
import { ModelTab } from "./model-tab.tsx";
import { PolicyTab } from "./policy-tab.tsx";
import { SchemaTab } from "./schema-tab.tsx";

const tabs: readonly Tab[] = [
  { id: "call", title: "Call" },
  { id: "schema", title: "Schema" },
  { id: "model", title: "What the model sees" },
  { id: "policy", title: "Policy" },
  { id: "lock", title: "Lock" },
  { id: "history", title: "History" },
];

/** One tool: its description, and a tab for each thing to do with it. */
export function ToolPage({ name }: { name: string }) {
  const resource = useResource<ToolDetails>(`/api/tools/${encodeURIComponent(name)}`);
  const back = (
    <Link href={`/tools${withoutTab(location.search)}`} class="back-link">
      <Icon name="left" /> All tools
    </Link>
  );
  return (
    <>
      {back}
      <Loaded resource={resource}>{(tool) => <Content tool={tool} />}</Loaded>
    </>
  );
}

function Content({ tool }: { tool: ToolDetails }) {
  const { spec, effect, source, lock } = tool;
  const chosen = queryValue("tab");
  const current = tabs.some(({ id }) => id === chosen) ? chosen : "call";
  const { readOnlyHint, destructiveHint, idempotentHint } = spec.annotations;
  const title = spec.title ?? spec.annotations.title;
  return (
    <>
      <ScreenHeader
        title={<span class="mono">{safeLine(spec.name)}</span>}
        detail={title === undefined ? undefined : safeLine(title)}
      />
      <div class="badges">
        <EffectBadge effect={effect} />
        {readOnlyHint === true ? <Badge>reads only</Badge> : null}
        {readOnlyHint !== true && destructiveHint !== false ? (
          <Badge tone="bad">may destroy</Badge>
        ) : null}
        {idempotentHint === true ? <Badge>idempotent</Badge> : null}
        {spec.execution === "task" ? <Badge>runs as a task</Badge> : null}
        {lock?.state === "changed" ? (
          <Badge tone="warning" icon="lock">
            changed since the lock
          </Badge>
        ) : null}
        <Badge icon="sources">{safeLine(source)}</Badge>
        <span class="muted">≈ {formatCount(tool.tokens, "token")}</span>
      </div>
      <p class="description">{safeText(withoutTitle(spec.description, title))}</p>
      <Tabs label="Views of the tool" tabs={tabs} current={current} onChange={changeTab}>
        {current === "call" && <CallTab tool={tool} />}
        {current === "schema" && <SchemaTab tool={tool} />}
        {current === "model" && <ModelTab name={spec.name} />}
        {current === "policy" && <PolicyTab tool={tool} />}
        {current === "lock" && <LockTab tool={tool} />}
        {current === "history" && <HistoryTab name={spec.name} />}
      </Tabs>
    </>
  );
}

/** The description of an operation begins with its summary, which is its title, too. */
function withoutTitle(description: string, title: string | undefined): string {
  if (title === undefined || !description.startsWith(`${title}\n`)) return description;
  return description.slice(title.length).trimStart();
}

function changeTab(id: string): void {
  setQuery({ tab: id === "call" ? "" : id });
}

/** The query of the list, without what belongs to one tool. */
function withoutTab(search: string): string {
  const query = new URLSearchParams(search);
  query.delete("tab");
  query.delete("arguments");
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
