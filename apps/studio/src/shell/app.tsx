import { useEffect } from "preact/hooks";
import { startEvents, stopEvents } from "../api/event-stream.ts";
import { status, toolList } from "../api/live.ts";
import { session } from "../api/session.ts";
import { announce, Announcer } from "../ui/announcer.tsx";
import { Layout } from "./layout.tsx";
import { Palette } from "./palette.tsx";
import { Screen } from "./screens.tsx";
import { SessionEnded } from "./session-ended.tsx";
import { useShortcuts } from "./use-shortcuts.ts";

/** The page: the navigation with the screen of the address, or the explanation that there is no session. */
export function App() {
  const { value } = session;
  if (value.status === "starting") return <p class="state muted">Starting…</p>;
  if (value.status === "ended") return <SessionEnded message={value.message} />;
  return <Started />;
}

function Started() {
  useShortcuts();
  useEffect(() => {
    startEvents();
    status.start();
    toolList.start();
    return stopEvents;
  }, []);
  const waiting = status.state.value.value?.waiting ?? 0;
  useEffect(() => {
    if (waiting > 0)
      announce(waiting === 1 ? "1 call waits for a person" : `${waiting} calls wait`);
  }, [waiting]);
  return (
    <>
      <Layout>
        <Screen />
      </Layout>
      <Palette />
      <Announcer />
    </>
  );
}
