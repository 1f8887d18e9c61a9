import type { AttachedStores } from "@toolweave/console";
import type { ComponentChildren } from "preact";
import { status } from "../api/live.ts";
import { EmptyState, Loaded } from "./states.tsx";

/** What a host may attach; it has all other stores. */
type Attachment = keyof Pick<AttachedStores, "audit" | "lock">;

const missing: Readonly<Record<Attachment, { title: string; remedy: ComponentChildren }>> = {
  audit: {
    title: "No audit is attached",
    remedy: (
      <>
        Start <code class="code">toolweave studio --audit FILE</code> with the file of a host that
        uses <code class="code">auditFile</code>, or{" "}
        <code class="code">toolweave studio --store URL</code> with a store in PostgreSQL, which has
        an audit.
      </>
    ),
  },
  lock: {
    title: "No lock file is attached",
    remedy: (
      <>
        Write one with <code class="code">toolweave lock</code>, then start{" "}
        <code class="code">toolweave studio --lock-file FILE</code>. From then on, a tool whose
        definition has changed is listed here.
      </>
    ),
  },
};

/** What needs an attachment: nothing is requested from a server that does not have it. */
export function Attached(props: { what: Attachment; children: ComponentChildren }) {
  const { title, remedy } = missing[props.what];
  return (
    <Loaded resource={status}>
      {({ stores }) =>
        stores[props.what] ? (
          props.children
        ) : (
          <EmptyState title={title}>
            <p>{remedy}</p>
          </EmptyState>
        )
      }
    </Loaded>
  );
}
