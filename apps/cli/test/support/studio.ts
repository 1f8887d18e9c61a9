import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { onTestFinished } from "vitest";
import { runCli } from "../../src/program.ts";
import { captureIo } from "./captured-io.ts";
import { startBin } from "./run-bin.ts";

/** A running `toolweave studio`. */
export interface RunningStudio {
  readonly child: ChildProcessWithoutNullStreams;
  /** The address, without a path. */
  readonly url: string;
  /** The link that can be used once. */
  readonly link: string;
  readonly code: string;
  /** All that the process has printed. */
  readonly printed: () => string;
}

/** A response of the API. */
export interface StudioResponse<Body = Record<string, unknown>> {
  readonly status: number;
  readonly body: Body;
}

/** The state of a call that has ended or waits. */
export interface EndedCall {
  readonly status: string;
  readonly callId: string;
  readonly runId: string;
  readonly approvalId?: string;
  readonly outcome?: {
    readonly ok: boolean;
    readonly result?: { readonly content: readonly unknown[]; readonly value?: unknown };
  };
}

/** The options of a process of Studio. */
export interface StudioOptions {
  /** Default: a separate store that does not exist yet. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Starts `toolweave studio --json`, until it is stopped. */
export async function startStudioProcess(
  args: readonly string[],
  options: StudioOptions = {},
): Promise<RunningStudio> {
  const child = startBin(["studio", "--json", ...args], options);
  let printed = "";
  const append = (text: string): void => void (printed += text);
  child.stdout.setEncoding("utf8").on("data", append);
  child.stderr.setEncoding("utf8").on("data", append);
  while (!/^\{.*\}$/m.test(printed)) {
    await Promise.race([once(child.stdout, "data"), once(child, "close")]);
    if (child.exitCode !== null) throw new Error(`Studio has ended: ${printed}`);
  }
  const [line = ""] = /^\{.*\}$/m.exec(printed) ?? [];
  const { url, link } = JSON.parse(line) as { url: string; link: string };
  return { child, url, link, code: link.split("#code=")[1] ?? "", printed: () => printed };
}

/** Starts `toolweave studio` for one test. */
export async function startStudio(
  args: readonly string[],
  options: StudioOptions = {},
): Promise<RunningStudio> {
  const studio = await startStudioProcess(args, options);
  onTestFinished(() => stopStudio(studio));
  return studio;
}

/** Studio in the process of the test, and a session of it. */
export interface StudioHere {
  readonly url: string;
  readonly client: StudioClient;
  /** Starts another session, with the link that a person at the terminal gets by Enter. */
  openSession(): Promise<StudioClient>;
}

/** Runs `toolweave studio` in this process until the test ends. */
export async function runStudio(
  args: readonly string[],
  env: Readonly<Record<string, string>> & { readonly TOOLWEAVE_STORE: string },
): Promise<StudioHere> {
  const { io, stdin, said, stderr, interrupt } = captureIo({
    env: { XDG_CONFIG_HOME: dirname(env.TOOLWEAVE_STORE), ...env },
    terminal: true,
  });
  const ended = runCli(["studio", ...args], io);
  onTestFinished(async () => {
    interrupt.abort();
    await ended;
  });
  let sessions = 0;
  const openSession = async (): Promise<StudioClient> => {
    sessions += 1;
    await Promise.race([said("#code=", sessions), ended]);
    const link = [...stderr().matchAll(/(http:\/\/\S+)\/#code=(\S+)/g)][sessions - 1];
    if (link === undefined) throw new Error(`Studio has not started: ${stderr()}`);
    const [, url = "", code = ""] = link;
    return StudioClient.open({ url, code });
  };
  const client = await openSession();
  await said("Enter prints another one");
  return {
    url: client.url,
    client,
    openSession() {
      stdin.write("\n");
      return openSession();
    },
  };
}

/** Ends the process, if it runs. */
export async function stopStudio({ child }: Pick<RunningStudio, "child">): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

/** Exchanges the code of a link, and returns the response as it is. */
export function redeem(url: string, code: string): Promise<Response> {
  return fetch(`${url}/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
}

/** A client of the API with a token. */
export class StudioClient {
  readonly url: string;
  readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  /** Starts a session with the link, as a browser does. */
  static async open({ url, code }: Pick<RunningStudio, "url" | "code">): Promise<StudioClient> {
    const response = await redeem(url, code);
    const { token } = (await response.json()) as { token: string };
    return new StudioClient(url, token);
  }

  async send<Body = Record<string, unknown>>(
    path: string,
    json?: object,
  ): Promise<StudioResponse<Body>> {
    const response = await fetch(`${this.url}${path}`, {
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
      ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === "" ? undefined : JSON.parse(text)) as Body };
  }

  /** Reads what must be there. */
  async read<Body>(path: string): Promise<Body> {
    const { status, body } = await this.send<Body>(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** Starts a call, and returns its state once it has ended or waits. */
  async call(name: string, args: object): Promise<EndedCall> {
    const { status, body } = await this.send<{ callId: string }>("/api/calls", {
      name,
      arguments: args,
    });
    if (status !== 202) throw new Error(`The call was refused: ${status} ${JSON.stringify(body)}`);
    return this.ended(body.callId);
  }

  /** Reads the state of a call until it no longer runs. */
  async ended(callId: string): Promise<EndedCall> {
    for (;;) {
      const state = await this.read<EndedCall>(`/api/calls/${callId}`);
      if (state.status !== "running") return state;
    }
  }
}
