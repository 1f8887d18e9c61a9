import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressKind, isMetadataHost } from "../../src/address/address-kind.ts";

describe("addressKind", () => {
  it.each([
    "8.8.8.8",
    "1.1.1.1",
    "93.184.216.34",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "198.17.255.255",
    "198.20.0.1",
    "168.63.129.17",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2001:4860:4860::8888",
    "2a00:1450:4001:81b::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
  ])("%s is public", (address) => {
    expect(addressKind(address)).toBeUndefined();
  });

  it.each([
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["0.0.0.0", "unspecified"],
    ["0.1.2.3", "unspecified"],
    ["10.255.255.255", "private"],
    ["172.16.0.1", "private"],
    ["172.31.255.255", "private"],
    ["192.168.1.1", "private"],
    ["100.64.0.1", "private"],
    ["100.127.255.255", "private"],
    ["169.254.1.1", "link-local"],
    ["192.0.0.1", "reserved"],
    ["192.0.2.1", "reserved"],
    ["198.18.0.1", "reserved"],
    ["198.19.255.255", "reserved"],
    ["198.51.100.7", "reserved"],
    ["203.0.113.7", "reserved"],
    ["192.88.99.1", "reserved"],
    ["224.0.0.1", "multicast"],
    ["239.255.255.255", "multicast"],
    ["240.0.0.1", "reserved"],
    ["255.255.255.255", "reserved"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["fc00::1", "private"],
    ["fdff::1", "private"],
    ["fec0::1", "private"],
    ["fe80::1", "link-local"],
    ["febf::1", "link-local"],
    ["fe80::1%eth0", "link-local"],
    ["ff02::1", "multicast"],
    ["100::1", "reserved"],
    ["2001:db8::1", "reserved"],
    ["3fff::1", "reserved"],
    ["5f00::1", "reserved"],
    ["4000::1", "reserved"],
    ["64:ff9b:1::1", "reserved"],
    ["not an address", "reserved"],
  ] as const)("SR04: %s is %s", (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });

  it.each([
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:7f00:1", "loopback"],
    ["0:0:0:0:0:ffff:7f00:0001", "loopback"],
    ["::127.0.0.1", "loopback"],
    ["::7f00:1", "loopback"],
    ["::8.8.8.8", "reserved"],
    ["::2", "unspecified"],
    ["64:ff9b::7f00:1", "loopback"],
    ["64:ff9b::10.0.0.1", "private"],
    ["64:ff9b::169.254.169.254", "cloud metadata"],
    ["::ffff:0:127.0.0.1", "reserved"],
    ["2002:7f00:1::", "reserved"],
    ["2001::1", "reserved"],
    ["2001:0:7f00:1::", "reserved"],
  ] as const)("SR02: %s, which can carry an IPv4 address, is %s", (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });

  it.each([
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00:ec2::254",
    "FD00:EC2:0:0:0:0:0:254",
    "::ffff:169.254.169.254",
    "::ffff:a83f:8110",
  ])("SR03: %s is cloud metadata", (address) => {
    expect(addressKind(address)).toBe("cloud metadata");
  });

  it("SR02: a mapped address has the kind of its IPv4 address, whatever that is", () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        const plain = `${a}.${b}.${c}.${d}`;
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        const expected = addressKind(plain);
        expect(addressKind(`::ffff:${plain}`)).toBe(expected);
        expect(addressKind(`::ffff:${hex}`)).toBe(expected);
        expect(addressKind(`64:ff9b::${hex}`)).toBe(expected);
        expect(addressKind(`::${plain}`)).not.toBeUndefined();
      }),
    );
  });

  it("SR04: nothing outside 2000::/3 is public unless it contains a public IPv4 address", () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const first = groups[0] ?? 0;
        fc.pre(first >> 13 !== 1 && first !== 0 && first !== 0x64);
        const address = groups.map((value) => value.toString(16)).join(":");
        expect(addressKind(address)).not.toBeUndefined();
      }),
    );
  });
});

describe("isMetadataHost", () => {
  it.each([
    "metadata.google.internal",
    "METADATA.google.internal.",
    "169.254.169.254",
    "fd00:ec2::254",
  ])("SR03: matches %s", (host) => {
    expect(isMetadataHost(host)).toBe(true);
  });

  it.each(["example.com", "metadata.example.com", "127.0.0.1"])("does not match %s", (host) => {
    expect(isMetadataHost(host)).toBe(false);
  });
});
