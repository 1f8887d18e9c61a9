import { describeStore, FakeClock } from "@toolweave/conformance/stores";
import { ToolError, type Grant } from "@toolweave/core";
import type { GrantStore } from "@toolweave/core/stores";

// Your store. Here a map takes the place of the database.
function mapGrants(rows: Map<string, Grant>): GrantStore {
  return {
    add(grant) {
      const stored = rows.get(grant.id) ?? grant;
      if (JSON.stringify(stored) !== JSON.stringify(grant)) {
        throw new ToolError("internal", `Another grant has the id ${grant.id}.`);
      }
      rows.set(grant.id, grant);
    },
    list: (tool) => [...rows.values()].filter((grant) => [grant.tool, undefined].includes(tool)),
    revoke: (id) => rows.delete(id),
  };
}

describeStore(
  "in a map",
  () => {
    const rows = new Map<string, Grant>();
    return { clock: new FakeClock(), open: () => ({ grants: mapGrants(rows) }) };
  },
  { ports: ["grants"] },
);
