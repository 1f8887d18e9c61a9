import { ToolError, type JsonObject } from "@toolweave/core";
import { pause, visibleText } from "@toolweave/core/adapter";
import type { TokenCredential } from "@toolweave/core/stores";
import * as oauth from "oauth4webapi";
import type { AuthorizationServer } from "./authorization-server.ts";
import { endpointUrl } from "./endpoint-url.ts";
import type { DeviceStart } from "./oauth-types.ts";
import { invalidResponse } from "./refusal-error.ts";
import { cancelled } from "./shared-work.ts";

const grantType = "urn:ietf:params:oauth:grant-type:device_code";

/** RFC 8628 section 3.2, when the server names no interval; and section 3.5, by how much `slow_down` adds to it. */
const defaultIntervalMs = 5_000;
const maxIntervalMs = 60_000;
/** The caller has a deadline, and the sign-in must not be lost with it. */
const maxWaitMs = 20_000;
const maxPolledDevices = 100;

interface PollSchedule {
  readonly intervalMs: number;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
}

/** The device flow (RFC 8628) with one server. It remembers when it has polled, as long as it lives. */
export class DeviceFlow {
  readonly #server: AuthorizationServer;
  readonly #paces = new Map<string, PollSchedule>();

  constructor(server: AuthorizationServer) {
    this.#server = server;
  }

  async begin(signal: AbortSignal | undefined): Promise<DeviceStart> {
    const server = this.#server;
    const { scope } = server;
    const askedAt = server.clock.now();
    return server.request("deviceAuthorizationUrl", { scope }, signal, async (prepared) => {
      const { url, authentication, form, options } = prepared;
      const codes = await oauth.processDeviceAuthorizationResponse(
        ...prepared.server,
        await oauth.deviceAuthorizationRequest(...prepared.server, authentication, form, options),
      );
      const { device_code: deviceCode, user_code: userCode, interval } = codes;
      if (!/^\S(?:.{0,98}\S)?$/.test(userCode) || visibleText(userCode) !== userCode) {
        throw invalidResponse(url, 200, "answered with a code that a person cannot type");
      }
      const what = "The page on which the authorization server wants a person to type a code";
      const pageUrl = endpointUrl(codes.verification_uri, what, "upstream");
      const complete = codes.verification_uri_complete;
      const expiresAt = askedAt + Math.min(codes.expires_in * 1000, 86_400_000);
      const intervalMs =
        interval === undefined ? defaultIntervalMs : Math.min(interval * 1000, maxIntervalMs);
      return {
        url: (complete === undefined ? pageUrl : endpointUrl(complete, what, "upstream")).href,
        userCode,
        expiresAt,
        intervalMs,
        state: { deviceCode, expiresAt, intervalMs },
      };
    });
  }

  async finish(
    state: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<TokenCredential | undefined> {
    const server = this.#server;
    const { deviceCode, expiresAt, intervalMs } = readState(state);
    const pace = this.#paces.get(deviceCode) ?? { intervalMs, notBefore: 0 };
    const waitMs = pace.notBefore - server.clock.now();
    if (waitMs > maxWaitMs) return undefined;
    await this.#wait(waitMs, signal);
    if (server.clock.now() >= expiresAt) {
      throw new ToolError(
        "auth_required",
        "The code that a person should have typed has expired. A person has to begin again.",
      );
    }
    const parameters = { device_code: deviceCode };
    return server.request("tokenUrl", parameters, signal, async (prepared) => {
      this.#remember(deviceCode, pace.intervalMs);
      try {
        const token = await server.requestToken(prepared, { grantType });
        this.#paces.delete(deviceCode);
        return token;
      } catch (error) {
        const code = error instanceof oauth.ResponseBodyError ? error.error : undefined;
        if (code === "slow_down") {
          this.#remember(deviceCode, Math.min(pace.intervalMs + defaultIntervalMs, maxIntervalMs));
        } else if (code !== "authorization_pending") throw error;
        return undefined;
      }
    });
  }

  #remember(deviceCode: string, intervalMs: number): void {
    const paces = this.#paces;
    paces.delete(deviceCode);
    paces.set(deviceCode, { intervalMs, notBefore: this.#server.clock.now() + intervalMs });
    const [oldest] = paces.keys();
    if (paces.size > maxPolledDevices && oldest !== undefined) paces.delete(oldest);
  }

  async #wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted !== true && ms > 0) await pause(ms, { clock: this.#server.clock, signal });
    if (signal?.aborted === true) throw cancelled(signal);
  }
}

interface DeviceState {
  readonly deviceCode: string;
  readonly expiresAt: number;
  readonly intervalMs: number;
}

function readState({ deviceCode, expiresAt, intervalMs }: JsonObject): DeviceState {
  const isState =
    typeof deviceCode === "string" &&
    typeof expiresAt === "number" &&
    typeof intervalMs === "number";
  if (isState) return { deviceCode, expiresAt, intervalMs };
  throw new ToolError(
    "invalid_configuration",
    "finishDevice: the state is not one that beginDevice gave.",
  );
}
