import type { IncomingMessage } from "node:http";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, test } from "vitest";
import {
  ADDRESS_STAMP,
  findClientAddress,
  isFromRanges,
  normalizeAddress,
  stampAddress,
} from "../../../lib/http/client-address";

describe("isFromRanges", () => {
  const ranges = ["203.0.113.0/24", "2001:db8::5/128"].map((network) => ipaddr.parseCIDR(network));
  test.each([
    ["203.0.113.9", true],
    ["::ffff:203.0.113.9", true],
    ["203.0.114.9", false],
    ["2001:db8::5", true],
    // The same /64, which is one address for the rate limit.
    ["2001:db8::6", false],
    ["unknown", false],
    ["", false],
  ])("%s: %s", (address, isInside) => {
    const headers = new Headers({ [ADDRESS_STAMP]: address });
    expect(isFromRanges(headers, { kind: "socket" }, ranges)).toBe(isInside);
  });

  test("reads only the entry of the trusted proxy", () => {
    const headers = new Headers({ "x-forwarded-for": "203.0.113.9, 198.51.100.1" });
    expect(isFromRanges(headers, { kind: "proxy", hops: 1 }, ranges)).toBe(false);
    expect(isFromRanges(headers, { kind: "proxy", hops: 2 }, ranges)).toBe(true);
  });
});

describe("normalizeAddress", () => {
  test("returns an IPv4 address unchanged, also when mapped into IPv6, in either notation", () => {
    const property = fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      for (const written of [address, `::ffff:${address}`, `::FFFF:${hex}`, `0:0:0:0:0:ffff:${hex}`, ` ${address} `]) {
        expect(normalizeAddress(written)).toBe(address);
      }
    });
    fc.assert(property);
  });

  const group = fc.integer({ min: 0, max: 0xffff });
  const groups = fc.array(group, { minLength: 8, maxLength: 8 });
  const written = (list: number[]) => list.map((one) => one.toString(16)).join(":");

  test("reduces any other IPv6 address to its first 64 bits", () => {
    const property = fc.property(groups, groups, (one, other) => {
      fc.pre(one.slice(0, 5).some((value) => value !== 0));
      const neighbour = [...one.slice(0, 4), ...other.slice(4)];
      const expected = `${written(one.slice(0, 4))}::/64`;
      expect(normalizeAddress(written(one))).toBe(expected);
      expect(normalizeAddress(`[${written(neighbour)}]`)).toBe(expected);
    });
    fc.assert(property);
  });

  test.each([
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::1.2.3.4", "64:ff9b:0:0::/64"],
    ["1:2:3:4:5:6:7.8.9.10", "1:2:3:4::/64"],
    ["::1.2.3.4", "0:0:0:0::/64"],
  ])("normalizes %s to %s", (address, expected) => {
    expect(normalizeAddress(address)).toBe(expected);
  });

  test("ignores a port", () => {
    const property = fc.property(fc.ipV4(), fc.ipV6(), fc.integer({ min: 0, max: 65_535 }), (v4, v6, port) => {
      expect(normalizeAddress(`${v4}:${port}`)).toBe(v4);
      expect(normalizeAddress(`[${v6}]:${port}`)).toBe(normalizeAddress(v6));
      expect(normalizeAddress(`[::ffff:${v4}]:${port}`)).toBe(v4);
    });
    fc.assert(property);
  });

  test.each([
    undefined,
    null,
    "",
    "unknown",
    "localhost",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "1.2.3.4:",
    "1.2.3.4:port",
    "1.2.3.4:123456",
    "[::1",
    "[::1]x",
    "::1]:80",
    "01.2.3.4",
    "0x7f.1",
    "2130706433",
    "1::2::3",
    "12345::",
    "::ffff:1.2.3.999",
    "<script>",
    "1.2.3.4, 5.6.7.8",
  ])("counts %s as unknown", (text) => {
    expect(normalizeAddress(text)).toBe("unknown");
  });

  test("returns one of three short forms for any text, so stored addresses have a bounded size", () => {
    const property = fc.property(fc.oneof(fc.string(), fc.ipV6()), (text) => {
      expect(normalizeAddress(text)).toMatch(/^(unknown|[0-9.]{7,15}|[0-9a-f]{1,4}(:[0-9a-f]{1,4}){3}::\/64)$/);
    });
    fc.assert(property, { numRuns: 500 });
  });
});

describe("behind proxies", () => {
  const behind = (hops: number, header?: string) =>
    findClientAddress(new Headers(header === undefined ? {} : { "x-forwarded-for": header }), { kind: "proxy", hops });

  test("ignores entries that a client forges on the left", () => {
    const forged = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom("", "junk", "9.9.9.9")), { maxLength: 8 });
    const property = fc.property(forged, fc.ipV4(), fc.array(fc.ipV4(), { maxLength: 3 }), (left, client, proxies) => {
      const honest = [client, ...proxies];
      expect(behind(honest.length, [...left, ...honest].join(", "))).toBe(client);
    });
    fc.assert(property);
  });

  test("reads several headers as one list, in order", () => {
    const headers = new Headers();
    headers.append("x-forwarded-for", "9.9.9.9");
    headers.append("x-forwarded-for", "3.3.3.3");
    expect(findClientAddress(headers, { kind: "proxy", hops: 1 })).toBe("3.3.3.3");
  });

  test("counts requests without a usable entry together as unknown", () => {
    expect(behind(1)).toBe("unknown");
    expect(behind(1, "")).toBe("unknown");
    expect(behind(3, "1.1.1.1, 2.2.2.2")).toBe("unknown");
    expect(behind(1, "1.1.1.1, junk")).toBe("unknown");
    expect(behind(1, "1.1.1.1,")).toBe("unknown");
  });

  test("ignores other headers", () => {
    const headers = new Headers({
      "x-real-ip": "1.1.1.1",
      "x-vercel-forwarded-for": "1.1.1.1",
      forwarded: "for=1.1.1.1",
      [ADDRESS_STAMP]: "1.1.1.1",
    });
    expect(findClientAddress(headers, { kind: "proxy", hops: 1 })).toBe("unknown");
  });
});

describe("on Vercel", () => {
  test("uses the platform's header and ignores X-Forwarded-For", () => {
    const headers = new Headers({ "x-vercel-forwarded-for": "2001:db8:1:2::3", "x-forwarded-for": "9.9.9.9" });
    expect(findClientAddress(headers, { kind: "vercel" })).toBe("2001:db8:1:2::/64");
    expect(findClientAddress(new Headers({ "x-forwarded-for": "9.9.9.9" }), { kind: "vercel" })).toBe("unknown");
  });
});

describe("on the socket", () => {
  /** Creates a request as Node passes it to server.ts, with its headers in pairs. */
  function request(remoteAddress: string | undefined, ...rawHeaders: string[]) {
    const incoming = { rawHeaders, headers: {} as Record<string, string>, socket: { remoteAddress } };
    for (let i = 0; i < rawHeaders.length; i += 2) incoming.headers[rawHeaders[i]!.toLowerCase()] = rawHeaders[i + 1]!;
    stampAddress(incoming as unknown as IncomingMessage);
    return incoming;
  }

  /** Reads the addresses as the request listener does, and as Next does. */
  function seen({ rawHeaders, headers }: ReturnType<typeof request>): string[] {
    const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, i) => [rawHeaders[2 * i]!, rawHeaders[2 * i + 1]!]);
    return [new Headers(pairs as [string, string][]), new Headers(headers)].map((view) =>
      findClientAddress(view, { kind: "socket" }),
    );
  }

  test("uses the socket's address", () => {
    expect(seen(request("1.2.3.4"))).toEqual(["1.2.3.4", "1.2.3.4"]);
    expect(seen(request("::ffff:1.2.3.4"))).toEqual(["1.2.3.4", "1.2.3.4"]);
    expect(seen(request("2001:db8::7"))).toEqual(["2001:db8:0:0::/64", "2001:db8:0:0::/64"]);
  });

  test("replaces a stamp sent by the client, in any case and number, and keeps other headers", () => {
    const stamped = request(
      "1.2.3.4",
      "X-Roundup-Client-Address",
      "9.9.9.9",
      "accept",
      "*/*",
      ADDRESS_STAMP,
      "8.8.8.8",
      "X-Forwarded-For",
      "7.7.7.7",
      ADDRESS_STAMP.toUpperCase(),
      "6.6.6.6",
    );
    expect(seen(stamped)).toEqual(["1.2.3.4", "1.2.3.4"]);
    expect(stamped.rawHeaders).toEqual(["accept", "*/*", "X-Forwarded-For", "7.7.7.7", ADDRESS_STAMP, "1.2.3.4"]);
  });

  test("counts a closed socket and a request without a stamp as unknown", () => {
    expect(seen(request(undefined))).toEqual(["unknown", "unknown"]);
    expect(findClientAddress(new Headers({ "x-forwarded-for": "9.9.9.9" }), { kind: "socket" })).toBe("unknown");
  });
});
