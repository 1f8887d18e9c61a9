import type { AttachedStores } from "@toolweave/console";
import type { ComponentChildren } from "preact";
import { status } from "../api/live.ts";
import { EmptyState, Loaded } from "./states.tsx";

/** An attachment of the host. All other stores are always there. */
type Attachment = keyof Pick<AttachedStores, "audit" | "lock" | "memory">;

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
  memory: {
    title: "No memory is attached",
    remedy: (
      <>
        Start <code class="code">toolweave studio --store STORE</code> with the store of an agent
        that has <code class="code">memoryTools</code>.
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

/** Displays its children if the server has the attachment: otherwise nothing is requested. */
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
