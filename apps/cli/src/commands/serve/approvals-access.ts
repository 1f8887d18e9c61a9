import type { ServeApprovals } from "@toolweave/config";
import type {
  ApprovalWebhook,
  BearerToken,
  ConsoleListener,
  ConsoleStores,
} from "@toolweave/console";
import type { ExecutorOptions, ToolExecutor } from "@toolweave/core";
import type { CliIo } from "../../process/cli-io.ts";
import { UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { safeLine, safeValue } from "../../render/text.ts";
import { parseAddress } from "../shared/parse-address.ts";

const defaultAddress = "127.0.0.1:8138";

/** The parts of the gateway that its approvals need. */
interface GatewayPlace {
  readonly stores: ConsoleStores;
  readonly io: CliIo;
  readonly output: Output;
  /** The token of the gateway's clients, which are agents. */
  readonly gatewayToken: string | undefined;
  /** False over stdio: several such gateways may run at once, and cannot have the same address. */
  readonly isHttp: boolean;
}

/** How calls that wait reach people: the HTTP API and the webhook of a configuration. */
export interface ApprovalsAccess {
  /** For the executor. */
  readonly hooks: NonNullable<ExecutorOptions["hooks"]>;
  /** Serves the API, if the configuration has one. */
  listen(executor: ToolExecutor): Promise<void>;
  /** Stops both; active requests and messages get `graceMs` to end. */
  close(graceMs: number): Promise<void>;
}

/**
 * Prepares `serve.approvals` of a configuration. Without it nothing is loaded.
 *
 * @throws UsageError for variables that are not set, and for tokens that are too short or have two owners.
 */
export async function prepareApprovalsAccess(
  { api, webhook: announced }: ServeApprovals = {},
  place: GatewayPlace,
): Promise<ApprovalsAccess> {
  const { stores, io, output, isHttp } = place;
  if (api === undefined && announced === undefined) {
    return { hooks: [], listen: async () => {}, close: async () => {} };
  }
  const { approvalWebhook, bearerTokens, listenConsole } = await import("@toolweave/console");
  let webhook: ApprovalWebhook | undefined;
  if (announced !== undefined) {
    const { secrets, ...options } = announced;
    webhook = approvalWebhook({
      ...options,
      secrets: secrets.map((name) => readVariable(name, "serve.approvals.webhook", io, output)),
      pendingCalls: stores.pendingCalls,
      onFailure: ({ approvalId, reason }) =>
        output.printMessage(
          `toolweave: The webhook for the approval ${safeValue(approvalId)} was not delivered. ${safeLine(reason)}`,
        ),
    });
  }
  const authenticate =
    api === undefined || !isHttp ? undefined : bearerTokens(readTokens(api, place));
  const address = parseAddress("serve.approvals.api.listen", api?.listen ?? defaultAddress);
  let listener: ConsoleListener | undefined;
  return {
    hooks: webhook === undefined ? [] : [webhook.hook],
    async listen(executor) {
      if (authenticate === undefined) return;
      const { publicUrl } = api ?? {};
      listener = await listenConsole({
        executor,
        stores,
        authenticate,
        ...address,
        ...(publicUrl === undefined ? {} : { publicUrl }),
      });
      output.printMessage(
        `toolweave: Serving the API of approvals at ${listener.url}/api/openapi.json`,
      );
    },
    async close(graceMs) {
      await Promise.all([listener?.close(graceMs), webhook?.close(graceMs)]);
    },
  };
}

const minTokenLength = 32;

function readTokens(
  { approvers, readers = {} }: NonNullable<ServeApprovals["api"]>,
  { io, output, gatewayToken }: GatewayPlace,
): readonly BearerToken[] {
  const where = "serve.approvals.api";
  const owners = new Map<string, string>();
  const read = (variable: string): string => {
    const token = readVariable(variable, where, io, output);
    if (token.length < minTokenLength) {
      throw new UsageError(
        `The token in ${variable} can be guessed: use ${minTokenLength} characters or more, such as those of \`openssl rand -hex 32\`.`,
      );
    }
    if (token === gatewayToken) {
      throw new UsageError(
        `The token in ${variable} is also that of the gateway's clients, which could approve their own calls: use another one.`,
      );
    }
    const owner = owners.get(token);
    if (owner !== undefined) {
      throw new UsageError(`${owner} and ${variable} have the same token: use one for each.`);
    }
    owners.set(token, variable);
    return token;
  };
  return [
    ...Object.entries(approvers).map(([id, variable]): BearerToken => ({
      token: read(variable),
      caller: { id },
      scopes: ["read", "decide"],
    })),
    ...Object.entries(readers).map(([id, variable]): BearerToken => ({
      token: read(variable),
      caller: { id, agent: id },
      scopes: ["read"],
    })),
  ];
}

function readVariable(name: string, where: string, { env }: CliIo, output: Output): string {
  const value = env[name] ?? "";
  if (value === "") {
    throw new UsageError(`${where} names the environment variable ${name}, which is not set.`);
  }
  output.addSecrets(value);
  return value;
}
