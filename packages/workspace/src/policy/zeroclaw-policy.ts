import { checkOptions, checks, isObject, type OptionChecks } from "@toolweave/core/adapter";
import type {
  PermissionRequest,
  PolicyAnswer,
  RateLimit,
  SourcePolicy,
  ExecutorOptions,
} from "@toolweave/core";
import { redirectionReason } from "./analyze-command.ts";

/** ZeroClaw's settings of its security policy. */
export interface ZeroClawSettings {
  /** `read_only`: nothing acts; `supervised`: what can do harm asks; `full`: nothing asks. Default: `supervised`. */
  readonly autonomy?: "read_only" | "supervised" | "full";
  /** Names of programs; `*`: all. Default: the list of ZeroClaw. */
  readonly allowedCommands?: readonly string[];
  /** Folders whose files no command names. Default: the list of ZeroClaw. */
  readonly forbiddenPaths?: readonly string[];
  /** Nothing outside of the workspace is named. Default: true. */
  readonly workspaceOnly?: boolean;
  /** Default: true. */
  readonly blockHighRiskCommands?: boolean;
  /** Default: true. */
  readonly requireApprovalForMediumRisk?: boolean;
  /** Calls of acting tools in any hour. Default: 20. */
  readonly maxActionsPerHour?: number;
}

const settingChecks: OptionChecks<ZeroClawSettings> = {
  autonomy: checks.oneOf("read_only", "supervised", "full"),
  allowedCommands: checks.list(checks.filledText),
  forbiddenPaths: checks.list(checks.filledText),
  workspaceOnly: checks.flag,
  blockHighRiskCommands: checks.flag,
  requireApprovalForMediumRisk: checks.flag,
  maxActionsPerHour: checks.numberFrom(0),
};

/** Words of a text. */
function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

const defaultCommands = words(
  `git npm cargo ls cat grep find echo pwd wc head tail date df du uname uptime hostname python python3 pip node free`,
);

const defaultForbidden = words(
  `/etc /root /home /usr /bin /sbin /lib /opt /boot /dev /proc /sys /var /tmp ~/.ssh ~/.gnupg ~/.aws ~/.config`,
);

const highRisk: ReadonlySet<string> = new Set(
  words(
    `rm mkfs dd shutdown reboot halt poweroff sudo su chown chmod useradd userdel usermod passwd mount umount iptables
    ufw firewall-cmd curl wget nc ncat netcat ssh scp ftp telnet del rmdir format reg net runas powershell pwsh`,
  ),
);

const mediumRisk: ReadonlySet<string> = new Set(words("touch mkdir mv cp ln"));

const mediumCommands: Readonly<Record<string, ReadonlySet<string>>> = {
  git: new Set(
    words("commit push reset clean rebase merge cherry-pick revert branch checkout switch tag"),
  ),
  npm: new Set(words("install add remove uninstall update publish")),
  pnpm: new Set(words("install add remove uninstall update publish")),
  yarn: new Set(words("install add remove uninstall update publish")),
  cargo: new Set(words("add remove install clean publish")),
};

/** Arguments with which an allowed program runs other code, or installs it. */
const refusedArguments: Readonly<Record<string, RegExp>> = {
  find: /^-(?:exec|execdir|ok|okdir|delete)$/,
  git: /^(?:-[cC].*|--config-env(?:=.*)?|config|alias(?:\..*)?)$/,
  python: /^-[a-zA-Z]*[cm]/,
  python3: /^-[a-zA-Z]*[cm]/,
  node: /^(?:-[epr].*|--eval(?:=.*)?|--print(?:=.*)?|--require(?:=.*)?|--import(?:=.*)?)$/,
  pip: /^(?:install|download)$/,
  npm: /^(?:exec|x|install|i|add|ci)$/,
  cargo: /^install$/,
};

const actingTools: readonly string[] = ["bash", "write_file", "edit_file", "apply_patch"];
const hourMs = 3_600_000;

/**
 * The decisions of ZeroClaw's security policy for the tools of a workspace, with its texts: the list of commands, then
 * forbidden paths, then the risk, then the autonomy. Sources: its `SecurityPolicy` and the tests of it.
 *
 * @throws ToolError `invalid_configuration` for an unknown or invalid setting.
 * @returns the options `policy` and `limits` of an executor.
 * @example
 * ```ts
 * const { policy, limits } = zeroClawPolicy({ autonomy: "supervised" });
 * const executor = new ToolExecutor({ registry, policy, limits });
 * ```
 */
export function zeroClawPolicy(
  settings: ZeroClawSettings = {},
): Required<Pick<ExecutorOptions, "policy" | "limits">> {
  checkOptions("zeroClawPolicy", settings, settingChecks);
  const { maxActionsPerHour = 20 } = settings;
  const limit: RateLimit = {
    calls: maxActionsPerHour,
    windowMs: hourMs,
    per: "caller",
    tools: actingTools,
  };
  const policy = { name: "zeroclaw", sources: "*", decide: decideAs(settings) };
  return { policy, limits: { rates: [limit] } };
}

/** A browser has none: paths below it are then compared as they are written. */
function homeFolder(): string {
  return globalThis.process?.env?.["HOME"] ?? "~";
}

function decideAs(settings: ZeroClawSettings): SourcePolicy["decide"] {
  const {
    autonomy = "supervised",
    forbiddenPaths = defaultForbidden,
    workspaceOnly = true,
  } = settings;
  const forbidden = forbiddenPaths.map((path) => path.replace(/^~(?=\/|$)/, homeFolder()));
  return ({ permission, trusted, spec }): PolicyAnswer => {
    if (!trusted || permission === undefined || !isObject(permission.details)) return undefined;
    const { kind, target, details } = permission;
    if (autonomy === "read_only" && (kind === "process" || kind === "fs.write")) {
      return deny(`Read-only mode: cannot perform '${spec.name}'`);
    }
    if (kind === "process") return decideCommand(permission, settings);
    if (kind !== "fs.read" && kind !== "fs.write") return undefined;
    const isInside = details["place"] === "inside";
    const isForbidden = forbidden.some(
      (folder) => target === folder || target.startsWith(`${folder}/`),
    );
    if (!isInside && (workspaceOnly || isForbidden)) return deny(`Forbidden path: ${target}`);
    return kind === "fs.read" || autonomy === "full" ? "allow" : "ask";
  };
}

function decideCommand(
  { details }: PermissionRequest,
  {
    autonomy = "supervised",
    allowedCommands = defaultCommands,
    blockHighRiskCommands = true,
    requireApprovalForMediumRisk = true,
  }: ZeroClawSettings,
): PolicyAnswer {
  const { isKnown, argv, via, reasons } = details as Readonly<Record<string, unknown>>;
  const isAnything = allowedCommands.includes("*") && !blockHighRiskCommands;
  if (!isAnything) {
    if (isKnown !== true || !isTexts(argv) || !isTexts(via) || !isTexts(reasons)) return notAllowed;
    if (reasons.includes(redirectionReason)) return notAllowed;
    const programs = [...via, programName(argv[0] ?? "")];
    if (
      !allowedCommands.includes("*") &&
      !programs.every((name) => allowedCommands.includes(name))
    ) {
      return notAllowed;
    }
    const refused = refusedArguments[programName(argv[0] ?? "")];
    if (refused !== undefined && argv.slice(1).some((arg) => refused.test(arg))) return notAllowed;
  }
  const risk = isTexts(argv) ? toRisk(argv) : "high";
  if (risk === "high" && blockHighRiskCommands) return deny("High-risk commands are blocked");
  if (autonomy === "full") return "allow";
  if (risk === "high") return ask("High-risk command requires approval");
  return risk === "medium" && requireApprovalForMediumRisk
    ? ask("Medium-risk command requires approval")
    : "allow";
}

function toRisk(argv: readonly string[]): "low" | "medium" | "high" {
  const name = programName(argv[0] ?? "");
  if (highRisk.has(name)) return "high";
  const command = argv.slice(1).find((arg) => !arg.startsWith("-")) ?? "";
  return mediumRisk.has(name) || mediumCommands[name]?.has(command) === true ? "medium" : "low";
}

function programName(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).toLowerCase();
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function deny(reason: string): PolicyAnswer {
  return { effect: "deny", reason };
}

function ask(reason: string): PolicyAnswer {
  return { effect: "ask", reason };
}

const notAllowed = deny("Command not in allowlist");
