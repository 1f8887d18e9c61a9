import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { toApiError } from "../api/resource.ts";
import { route } from "../navigation/location.ts";
import { Link } from "../navigation/link.tsx";
import type { ScreenName } from "../navigation/routes.ts";
import { OverviewScreen } from "../overview/overview-screen.tsx";
import { safeLine } from "../text/safe-text.ts";
import { EmptyState, ErrorState } from "../ui/states.tsx";
import { screenTitle } from "./navigation-items.ts";

/** A screen; `id` is that of the route. */
type ScreenComponent = ComponentType<{ id?: string }>;

/** The screens that are loaded when they are opened first. */
const loaders: Readonly<Record<Exclude<ScreenName, "overview">, () => Promise<ScreenComponent>>> = {
  sources: async () => (await import("../overview/sources-screen.tsx")).SourcesScreen,
  problems: async () => (await import("../overview/problems-screen.tsx")).ProblemsScreen,
  tools: async () => (await import("../tools/tools-screen.tsx")).ToolsScreen,
  approvals: async () => (await import("../approvals/approvals-screen.tsx")).ApprovalsScreen,
  grants: async () => (await import("../approvals/grants-screen.tsx")).GrantsScreen,
  runs: async () => (await import("../runs/runs-screen.tsx")).RunsScreen,
  tasks: async () => (await import("../tasks/tasks-screen.tsx")).TasksScreen,
  artifact: async () => (await import("../artifacts/artifact-screen.tsx")).ArtifactScreen,
  memory: async () => (await import("../memory/memory-screen.tsx")).MemoryScreen,
  policy: async () => (await import("../policy/policy-screen.tsx")).PolicyScreen,
  audit: async () => (await import("../audit/audit-screen.tsx")).AuditScreen,
  lock: async () => (await import("../lock/lock-screen.tsx")).LockScreen,
  help: async () => (await import("./help-screen.tsx")).HelpScreen,
};

const loaded = new Map<ScreenName, ScreenComponent>([["overview", OverviewScreen]]);

/** The screen of the address. The focus moves to it when the person goes there. */
export function Screen() {
  const current = route.value;
  const screen = current?.screen;
  const [, setVersion] = useState(0);
  const [error, setError] = useState<unknown>();
  const isFirst = useRef(true);
  const component = screen === undefined ? undefined : loaded.get(screen);

  useEffect(() => {
    setError(undefined);
    if (screen === undefined || screen === "overview" || loaded.has(screen)) return;
    loaders[screen]().then((found) => {
      loaded.set(screen, found);
      setVersion((version) => version + 1);
    }, setError);
  }, [screen]);

  useEffect(() => {
    const name = current?.id === undefined ? "" : `${safeLine(current.id)} · `;
    const title = screen === undefined ? "Not found" : screenTitle(screen);
    document.title = `${name}${title} · Toolweave Studio`;
  }, [screen, current?.id]);

  // A screen reader continues at the new screen, as after the load of a page.
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else document.getElementById("main")?.focus({ preventScroll: true });
  }, [screen]);

  if (screen === undefined) {
    return (
      <EmptyState title="There is no such page">
        <Link href="/">Go to the overview</Link>
      </EmptyState>
    );
  }
  if (error !== undefined) {
    return <ErrorState error={toApiError(error)} onRetry={() => location.reload()} />;
  }
  if (component === undefined) return <p class="state muted">Loading…</p>;
  const Component = component;
  return <Component {...(current?.id === undefined ? {} : { id: current.id })} />;
}
