import { inject } from "vitest";
import { describePostgres } from "./support/describe-postgres.ts";

describePostgres("in PostgreSQL", inject("postgresUrl"));
