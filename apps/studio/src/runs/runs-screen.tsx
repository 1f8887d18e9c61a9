import { RunList } from "./run-list.tsx";
import { RunPage } from "./run-page.tsx";
import "./runs.css";

/** The list of runs, or one of them. */
export function RunsScreen({ id }: { id?: string }) {
  return id === undefined ? <RunList /> : <RunPage key={id} id={id} />;
}
