import { ToolError, type JsonObject } from "@toolweave/core";
import { visibleText } from "@toolweave/core/adapter";
import type { TokenCredential } from "@toolweave/core/stores";
import type { AuthorizationServer } from "./authorization-server.ts";
import { endpointUrl } from "./endpoint-url.ts";
import { invalidResponse } from "./post-form.ts";
import type { DeviceStart } from "./oauth-types.ts";
import { refusalError } from "./refusal-error.ts";
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
    const { scopes } = server.options;
    const url = await server.endpoint("deviceAuthorizationUrl", signal);
    const askedAt = server.clock.now();
    const grant: Record<string, string> = scopes?.length ? { scope: scopes.join(" ") } : {};
    const answer = await server.post(url, { grant, signal });
    if (answer.refusal !== undefined) throw refusalError(url.origin, answer.refusal);
    const { issued } = answer;
    const { device_code: deviceCode, user_code: userCode, expires_in: life } = issued;
    const page = issued["verification_uri"] ?? issued["verification_url"];
    const isWhole =
      typeof deviceCode === "string" &&
      deviceCode !== "" &&
      typeof userCode === "string" &&
      /^\S(?:.{0,98}\S)?$/.test(userCode) &&
      visibleText(userCode) === userCode &&
      typeof life === "number" &&
      life > 0;
    if (!isWhole) {
      throw invalidResponse(url, 200, "answered without the codes that the device flow needs");
    }
    const what = "The page on which the authorization server wants a person to type a code";
    const pageUrl = endpointUrl(page, what, "upstream");
    const complete = issued["verification_uri_complete"];
    const expiresAt = askedAt + Math.min(life * 1000, 86_400_000);
    const intervalMs = readInterval(issued["interval"]);
    return {
      url: (complete === undefined ? pageUrl : endpointUrl(complete, what, "upstream")).href,
      userCode,
      expiresAt,
      intervalMs,
      state: { deviceCode, expiresAt, intervalMs },
    };
  }

  async finish(
    state: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<TokenCredential | undefined> {
    const server = this.#server;
    const { deviceCode, expiresAt, intervalMs } = readState(state);
    const url = await server.endpoint("tokenUrl", signal);
    const pace = this.#paces.get(deviceCode) ?? { intervalMs, notBefore: 0 };
    const waitMs = pace.notBefore - server.clock.now();
    if (waitMs > maxWaitMs) return undefined;
    await this.#wait(waitMs, signal);
    const askedAt = server.clock.now();
    if (askedAt >= expiresAt) {
      throw new ToolError(
        "auth_required",
        "The code that a person should have typed has expired. A person has to begin again.",
      );
    }
    this.#remember(deviceCode, pace.intervalMs);
    const answer = await server.post(url, {
      grant: { grant_type: grantType, device_code: deviceCode },
      secret: ["device_code"],
      signal,
    });
    if (answer.refusal === undefined) {
      this.#paces.delete(deviceCode);
      return server.issued(url, answer, { askedAt }).token;
    }
    switch (answer.refusal.error) {
      case "slow_down":
        this.#remember(deviceCode, Math.min(pace.intervalMs + defaultIntervalMs, maxIntervalMs));
        return undefined;
      case "authorization_pending":
        return undefined;
      default:
        this.#paces.delete(deviceCode);
        throw refusalError(url.origin, answer.refusal);
    }
  }

  #remember(deviceCode: string, intervalMs: number): void {
    const paces = this.#paces;
    paces.delete(deviceCode);
    paces.set(deviceCode, { intervalMs, notBefore: this.#server.clock.now() + intervalMs });
    const [oldest] = paces.keys();
    if (paces.size > maxPolledDevices && oldest !== undefined) paces.delete(oldest);
  }

  #wait(ms: number, signal: AbortSignal | undefined): Promise<void> | undefined {
    if (signal?.aborted) throw cancelled(signal);
    if (ms <= 0) return undefined;
    const { clock } = this.#server;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clock.clearTimeout(timer);
        if (signal !== undefined) reject(cancelled(signal));
      };
      const timer = clock.setTimeout(() => {
        signal?.removeEventListener("abort", leave);
        resolve();
      }, ms);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }
}

function readInterval(seconds: unknown): number {
  if (typeof seconds !== "number" || !(seconds > 0)) return defaultIntervalMs;
  return Math.min(seconds * 1000, maxIntervalMs);
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
  throw new ToolError("internal", "finishDevice: the state is not one that beginDevice gave.");
}
