import type { BlockList } from "node:net";
import { checks } from "@toolweave/core/adapter";

/** The reason for which an address is not public. */
export type AddressKind =
  | "loopback"
  | "private"
  | "link-local"
  | "multicast"
  | "cloud metadata"
  | "reserved"
  | "unspecified";

// IANA's special-purpose registries, and the addresses at which clouds hand out credentials. The first
// list that matches names the kind, so metadata comes before the ranges that hold it.
const ipv4Ranges: readonly (readonly [AddressKind, readonly string[]])[] = [
  [
    "cloud metadata",
    [
      "169.254.169.254/32", // AWS, Google, Azure, Oracle, DigitalOcean and others
      "169.254.170.2/32", // AWS container credentials
      "169.254.170.23/32", // AWS EKS pod identity
      "100.100.100.200/32", // Alibaba
      "168.63.129.16/32", // Azure; public according to every registry
      "192.0.0.192/32", // Oracle
    ],
  ],
  ["unspecified", ["0.0.0.0/8"]],
  ["loopback", ["127.0.0.0/8"]],
  ["private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"]],
  ["link-local", ["169.254.0.0/16"]],
  ["multicast", ["224.0.0.0/4"]],
  [
    "reserved",
    [
      "192.0.0.0/24",
      "192.0.2.0/24",
      "192.88.99.0/24",
      "198.18.0.0/15",
      "198.51.100.0/24",
      "203.0.113.0/24",
      "240.0.0.0/4",
    ],
  ],
];

const ipv6Ranges: readonly (readonly [AddressKind, readonly string[]])[] = [
  [
    "cloud metadata",
    ["fd00:ec2::254/128", "fd00:ec2::23/128", "fd20:ce::254/128", "fd00:42::42/128"],
  ],
  ["unspecified", ["::/128"]],
  ["loopback", ["::1/128"]],
  ["private", ["fc00::/7", "fec0::/10"]],
  ["link-local", ["fe80::/10"]],
  ["multicast", ["ff00::/8"]],
  // Within 2000::/3, the only block that is routed: protocol assignments with Teredo and ORCHID, documentation, 6to4.
  ["reserved", ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]],
];

/** The lists that addresses are compared with, and the tests of Node.js for addresses. */
function createAddressLists() {
  // Loaded on demand: a source of local tools never looks at an address.
  const { BlockList, isIPv4, isIPv6 } = process.getBuiltinModule("node:net");
  const compile = (ranges: typeof ipv4Ranges, family: "ipv4" | "ipv6"): Lists =>
    ranges.map(([kind, subnets]) => {
      const list = new BlockList();
      for (const subnet of subnets) {
        const slash = subnet.indexOf("/");
        list.addSubnet(subnet.slice(0, slash), Number(subnet.slice(slash + 1)), family);
      }
      return [kind, list] as const;
    });
  const globalUnicast = new BlockList();
  globalUnicast.addSubnet("2000::", 3, "ipv6");
  return {
    isIPv4,
    isIPv6,
    ipv4Lists: compile(ipv4Ranges, "ipv4"),
    ipv6Lists: compile(ipv6Ranges, "ipv6"),
    globalUnicast,
  };
}

type Lists = readonly (readonly [AddressKind, BlockList])[];

let addressLists: ReturnType<typeof createAddressLists> | undefined;

/** The kind of non-public address that an IP literal is; `undefined` when it is public. */
export function addressKind(address: string): AddressKind | undefined {
  const { isIPv4, isIPv6, ipv4Lists, ipv6Lists, globalUnicast } = (addressLists ??=
    createAddressLists());
  if (isIPv4(address)) return firstMatch(ipv4Lists, address, "ipv4");
  if (!isIPv6(address)) return "reserved";
  // A zone id only makes sense on a link.
  if (address.includes("%")) return "link-local";
  const groups = ipv6Groups(address);
  const embedded = embeddedIpv4(groups);
  if (embedded !== undefined) {
    const kind = addressKind(embedded);
    // Nothing public answers at the deprecated ::a.b.c.d.
    return kind ?? (groups[0] === 0 && groups[5] === 0 ? "reserved" : undefined);
  }
  return (
    firstMatch(ipv6Lists, address, "ipv6") ??
    (globalUnicast.check(address, "ipv6") ? undefined : "reserved")
  );
}

/** Returns true for a host of a URL that is written as an address which is not public, or as `localhost`. */
export function isPrivateHost(hostname: string): boolean {
  checks.anyText.check("isPrivateHost: hostname", hostname);
  const host = hostname.replace(/^\[|\]$/g, "");
  const { isIP } = process.getBuiltinModule("node:net");
  if (isIP(host) !== 0) return addressKind(host) !== undefined;
  return /(?:^|\.)localhost$/i.test(host);
}

const metadataNames = new Set([
  "metadata.google.internal",
  "metadata.goog",
  "metadata",
  "instance-data",
  "instance-data.ec2.internal",
]);

/** True for a host (an IP literal without brackets, or a name) that is a cloud's metadata service. */
export function isMetadataHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  return metadataNames.has(host) || addressKind(host) === "cloud metadata";
}

function firstMatch(
  lists: Lists,
  address: string,
  family: "ipv4" | "ipv6",
): AddressKind | undefined {
  for (const [kind, list] of lists) if (list.check(address, family)) return kind;
  return undefined;
}

/** The eight 16-bit groups of a valid IPv6 literal without zone id. */
function ipv6Groups(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const left = parseGroups(head);
  if (tail === undefined) return left;
  const right = parseGroups(tail);
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function parseGroups(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

/** The IPv4 address that the network would really reach, for the forms that carry one in their last 32 bits. */
function embeddedIpv4(groups: readonly number[]): string | undefined {
  const [a, b, c, d, e, f, g = 0, h = 0] = groups;
  const middleIsZero = c === 0 && d === 0 && e === 0;
  const start = a === 0 && b === 0 && middleIsZero;
  const mapped = start && f === 0xffff;
  // ::a.b.c.d; :: and ::1 have kinds of their own.
  const compatible = start && f === 0 && (g !== 0 || h > 1);
  const nat64 = a === 0x64 && b === 0xff9b && middleIsZero && f === 0;
  if (!mapped && !compatible && !nat64) return undefined;
  return `${g >> 8}.${g & 255}.${h >> 8}.${h & 255}`;
}
