import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, test } from "vitest";
import type { ClientIpSource } from "../../../lib/domain/client-ip";
import {
  ADDRESS_STAMP,
  findClientAddress,
  isClientInRanges,
  isFromProxy,
  normalizeAddress,
} from "../../../lib/http/client-address";

describe("isClientInRanges", () => {
  const ranges = ["203.0.113.0/24", "2001:db8::5/128"].map((network) => ipaddr.parseCIDR(network));
  test.each([
    ["203.0.113.9", true],
    ["::ffff:203.0.113.9", true],
    ["203.0.114.9", false],
    ["2001:db8::5", true],
    // This address shares a /64 with the range. A range compares all bits, unlike the rate limit.
    ["2001:db8::6", false],
    ["unknown", false],
    ["", false],
  ])("decides whether %j is inside the ranges: %s", (address, isInside) => {
    const headers = new Headers({ [ADDRESS_STAMP]: address });
    expect(isClientInRanges(headers, { kind: "socket" }, ranges)).toBe(isInside);
  });

  test("reads only the entry of the trusted proxy", () => {
    const headers = new Headers({ "x-forwarded-for": "203.0.113.9, 198.51.100.1" });
    expect(isClientInRanges(headers, { kind: "proxy", hops: 1 }, ranges)).toBe(false);
    expect(isClientInRanges(headers, { kind: "proxy", hops: 2 }, ranges)).toBe(true);
  });
});

describe("normalizeAddress", () => {
  test("returns an IPv4 address unchanged, even if it is mapped into IPv6", () => {
    const property = fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      const mappedForms = [`::ffff:${address}`, `::FFFF:${hex}`, `0:0:0:0:0:ffff:${hex}`];
      for (const form of [address, ` ${address} `, ...mappedForms]) expect(normalizeAddress(form)).toBe(address);
    });
    fc.assert(property);
  });

  const anyGroup = fc.integer({ min: 0, max: 0xffff });
  const anyGroups = fc.array(anyGroup, { minLength: 8, maxLength: 8 });
  const formatGroups = (groupValues: number[]) => groupValues.map((value) => value.toString(16)).join(":");

  test("reduces any other IPv6 address to its first 64 bits", () => {
    const property = fc.property(anyGroups, anyGroups, (left, right) => {
      fc.pre(left.slice(0, 5).some((value) => value !== 0));
      const sameNetworkGroups = [...left.slice(0, 4), ...right.slice(4)];
      const expectedAddress = `${formatGroups(left.slice(0, 4))}::/64`;
      expect(normalizeAddress(formatGroups(left))).toBe(expectedAddress);
      expect(normalizeAddress(`[${formatGroups(sameNetworkGroups)}]`)).toBe(expectedAddress);
    });
    fc.assert(property);
  });

  test.each([
    ["2001:0DB8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::1.2.3.4", "64:ff9b:0:0::/64"],
    ["1:2:3:4:5:6:7.8.9.10", "1:2:3:4::/64"],
    ["::1.2.3.4", "0:0:0:0::/64"],
  ])("normalizes %s to %s", (address, expectedAddress) => {
    expect(normalizeAddress(address)).toBe(expectedAddress);
  });

  test("ignores a port", () => {
    const property = fc.property(fc.ipV4(), fc.ipV6(), fc.integer({ min: 0, max: 65_535 }), (v4, v6, port) => {
      expect(normalizeAddress(`${v4}:${port}`)).toBe(v4);
      expect(normalizeAddress(`[${v6}]:${port}`)).toBe(normalizeAddress(v6));
      expect(normalizeAddress(`[::ffff:${v4}]:${port}`)).toBe(v4);
    });
    fc.assert(property);
  });

  const malformedV4 = ["1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "0x7f.1", "2130706433", "1.2.3.4, 5.6.7.8"];
  const malformedPorts = ["1.2.3.4:", "1.2.3.4:port", "1.2.3.4:123456", "::1]:80"];
  const malformedV6 = ["[::1", "[::1]x", "1::2::3", "12345::", "::ffff:1.2.3.999"];
  const otherTexts = [undefined, null, "", "unknown", "localhost", "<script>"];
  test.each([...malformedV4, ...malformedPorts, ...malformedV6, ...otherTexts])("returns unknown for %s", (text) => {
    expect(normalizeAddress(text)).toBe("unknown");
  });

  test("returns one of three short forms for any text", () => {
    const property = fc.property(fc.oneof(fc.string(), fc.ipV6()), (text) => {
      expect(normalizeAddress(text)).toMatch(/^(unknown|[0-9.]{7,15}|[0-9a-f]{1,4}(:[0-9a-f]{1,4}){3}::\/64)$/);
    });
    fc.assert(property, { numRuns: 500 });
  });
});

describe("findClientAddress behind proxies", () => {
  const findAddressBehindProxies = (hops: number, header?: string) =>
    findClientAddress(new Headers(header === undefined ? {} : { "x-forwarded-for": header }), { kind: "proxy", hops });

  test("ignores entries that a client forges on the left", () => {
    const anyForgedEntry = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom("", "junk", "9.9.9.9"));
    const anyForgedEntries = fc.array(anyForgedEntry, { maxLength: 8 });
    const anyRealEntries = fc.array(fc.ipV4(), { minLength: 1, maxLength: 4 });
    const property = fc.property(anyForgedEntries, anyRealEntries, (forgedEntries, realEntries) => {
      const header = [...forgedEntries, ...realEntries].join(", ");
      expect(findAddressBehindProxies(realEntries.length, header)).toBe(realEntries[0]);
    });
    fc.assert(property);
  });

  test("returns unknown for a request without a usable entry", () => {
    expect(findAddressBehindProxies(3, "1.1.1.1, 2.2.2.2")).toBe("unknown");
    for (const header of [undefined, "", "1.1.1.1, junk", "1.1.1.1,"])
      expect(findAddressBehindProxies(1, header)).toBe("unknown");
  });

  test("ignores other headers", () => {
    const names = ["x-real-ip", "x-vercel-forwarded-for", "forwarded", ADDRESS_STAMP];
    const headers = new Headers(names.map((name): [string, string] => [name, "1.1.1.1"]));
    expect(findClientAddress(headers, { kind: "proxy", hops: 1 })).toBe("unknown");
  });
});

const source = { kind: "proxy", hops: 1, peers: ["10.0.0.0/8", "fd00::/8"].map((text) => ipaddr.parseCIDR(text)) };
const proxy = source as ClientIpSource;
test.each([
  ["10.1.2.3", true],
  ["::ffff:10.1.2.3", true],
  ["fd00::7", true],
  ["11.0.0.1", false],
  ["2001:db8:1:2::7", false],
  ["", false],
])("with known proxies, X-Forwarded-For from the peer %j counts: %s", (peer, isTrusted) => {
  const headers = new Headers({ [ADDRESS_STAMP]: peer, "x-forwarded-for": "203.0.113.9" });
  expect(findClientAddress(headers, proxy)).toBe(isTrusted ? "203.0.113.9" : normalizeAddress(peer));
  expect(isClientInRanges(headers, proxy, [ipaddr.parseCIDR("203.0.113.0/24")])).toBe(isTrusted);
  expect(isFromProxy(headers, proxy)).toBe(isTrusted);
});

test("findClientAddress on Vercel uses the platform's header and ignores X-Forwarded-For", () => {
  const headers = new Headers({ "x-vercel-forwarded-for": "2001:db8:1:2::3", "x-forwarded-for": "9.9.9.9" });
  expect(findClientAddress(headers, { kind: "vercel" })).toBe("2001:db8:1:2::/64");
  expect(findClientAddress(new Headers({ "x-forwarded-for": "9.9.9.9" }), { kind: "vercel" })).toBe("unknown");
});
