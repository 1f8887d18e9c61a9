import type { GrantList, ListedGrant } from "@toolweave/console";
import { useState } from "preact/hooks";
import { requestJson } from "../api/client.ts";
import type { ApiError } from "../api/problem.ts";
import { toApiError, useResource } from "../api/resource.ts";
import { hasScope } from "../api/session.ts";
import { Link } from "../navigation/link.tsx";
import { toPath } from "../navigation/routes.ts";
import { safeLine } from "../text/safe-text.ts";
import { announce } from "../ui/announcer.tsx";
import { Badge } from "../ui/badge.tsx";
import { ScreenHeader } from "../ui/screen-header.tsx";
import { EmptyState, ErrorState, Loaded } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { DataTable } from "../ui/data-table.tsx";

/** Remembered approvals, each of which can be revoked. */
export function GrantsScreen() {
  const resource = useResource<GrantList>("/api/grants?limit=200");
  const [error, setError] = useState<ApiError>();
  const revoke = async (id: string): Promise<void> => {
    try {
      await requestJson(`/api/grants/${encodeURIComponent(id)}`, { method: "DELETE" });
      announce("The grant was revoked");
      setError(undefined);
    } catch (refused) {
      setError(toApiError(refused));
    }
    resource.reload();
  };
  return (
    <>
      <ScreenHeader
        title="Grants"
        detail="Approvals that hold for later calls: these are not asked about again"
      />
      {error !== undefined && <ErrorState error={error} />}
      <Loaded resource={resource}>
        {({ grants }) =>
          grants.length === 0 ? (
            <EmptyState title="There are no grants">
              <p>Approve a call for a session or until revoked, and the grant is listed here.</p>
            </EmptyState>
          ) : (
            <GrantTable grants={grants} onRevoke={(id) => void revoke(id)} />
          )
        }
      </Loaded>
    </>
  );
}

function GrantTable(props: { grants: readonly ListedGrant[]; onRevoke: (id: string) => void }) {
  return (
    <DataTable
      label="Grants"
      columns={[
        "Tool",
        "Permission",
        "Arguments",
        "Holds",
        "For",
        "Granted",
        { title: "Action", isNumber: true },
      ]}
    >
      {props.grants.map((grant) => (
        <tr key={grant.id}>
          <td class="nowrap">
            <Link href={toPath("tools", grant.tool)} class="mono">
              {safeLine(grant.tool)}
            </Link>
          </td>
          <td>
            <code class="code">
              {safeLine(grant.permission.kind)} {safeLine(grant.permission.target)}
            </code>
          </td>
          <td>
            {grant.argumentsHash === undefined ? <Badge tone="warning">any</Badge> : "the same"}
          </td>
          <td class="nowrap">{grant.scope === "session" ? "this session" : "until revoked"}</td>
          <td class="nowrap">
            {grant.caller === undefined ? "no caller" : safeLine(grant.caller.id)}
          </td>
          <td>
            <RelativeTime time={grant.grantedAt} />
            {grant.by === undefined ? "" : ` by ${safeLine(grant.by)}`}
          </td>
          <td class="number">
            <button
              type="button"
              class="button small danger"
              disabled={!hasScope("decide")}
              aria-label={`Revoke the grant for ${safeLine(grant.tool)}`}
              onClick={() => props.onRevoke(grant.id)}
            >
              Revoke
            </button>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
