import { join } from "node:path";
import { postgresStore } from "@toolweave/postgres";
import { startChild } from "../cluster/child-processes.ts";
import { apiCall } from "../operations/kinds.ts";
import type { AuthorizationState, SignIn } from "../sign-in/sign-in.ts";
import { apiCredential } from "../worker/api-source.ts";
import { workerKey } from "../worker/messages.ts";
import { runLoad } from "./run-load.ts";
import type { Scenario } from "./scenario.ts";
import { withPostgres } from "./with-postgres.ts";

/** O1: replicas renew a token at the same time. */
export const sharedSignIn: Scenario = {
  id: "O1",
  summary:
    "4 replicas call an API whose token expires every second and whose refresh tokens are good once; the person does not have to sign in again",
  run: (run) =>
    withPostgres(run, {}, async ({ url }) => {
      const server = await startChild(
        join(import.meta.dirname, "../sign-in/authorization-server.ts"),
        [],
      );
      try {
        const { origin, clientId, refreshToken } = server.ready as SignIn;
        const readState = async (): Promise<AuthorizationState> =>
          (await (await fetch(`${origin}/state`)).json()) as AuthorizationState;
        let state: AuthorizationState | undefined;
        const result = await runLoad(run, {
          ...{ scenario: "O1", url, workers: 4, api: { origin, clientId } },
          kinds: { apiCall },
          async prepare(schema) {
            const store = postgresStore({ connectionString: url, schema, key: workerKey });
            await store.credentials.set(apiCredential, {
              ...{ type: "token", accessToken: "expired-access-token", expiresAt: 1, refreshToken },
            });
            store.close();
          },
          async faults({ signal }) {
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
            state = await readState();
          },
          secrets: () => [refreshToken, ...(state?.tokens.slice(-20) ?? [])],
        });
        const { renewals = 0, refusals = 0 } = state ?? {};
        const lost =
          refusals === 0
            ? []
            : [{ invariant: "sign-in", text: `The server has refused ${refusals} renewals.` }];
        return {
          ...result,
          violations: [...result.violations, ...lost],
          details: { ...result.details, renewals, refusals },
        };
      } finally {
        server.process.kill("SIGKILL");
      }
    }),
};
