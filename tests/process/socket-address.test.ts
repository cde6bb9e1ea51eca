import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { NO_CHAIN_SETTINGS, startTemporaryAppForFile } from "../support/app/app-for-file";
import { createCallerAddress } from "../support/client/client";

/* Runs server.ts where the socket's address counts, whatever a client writes into its headers. */

const startApp = (name: string, clientIp: string) =>
  startTemporaryAppForFile(name, { ...NO_CHAIN_SETTINGS, CLIENT_IP: clientIp });
const [directApp, bypassedApp, proxiedApp] = await Promise.all([
  startApp("socket-address", ""),
  startApp("untrusted-peer", "proxy:1@10.0.0.0/8"),
  startApp("trusted-peer", "proxy:1@10.0.0.0/8+127.0.0.1"),
]);
const apps = { "without a proxy": directApp, "past its proxies": bypassedApp };

/** Makes one call from 127.0.0.1. @returns the status, and the calls that the address has left in this minute */
function callFromLoopback(url: string, headers: Record<string, string | string[]> = {}) {
  return new Promise<{ status: number; remaining: number }>((resolve, reject) => {
    const outgoing = request(`${url}/api/plans`, { localAddress: "127.0.0.1", headers, agent: false });
    outgoing.on("error", reject);
    outgoing.on("response", (incoming) => {
      incoming.resume();
      const remaining = Number(incoming.headers["x-ratelimit-remaining"]);
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, remaining }));
    });
    outgoing.end();
  });
}

/** Creates each header that a host uses for the client address, including the header of this service. */
const createForgedHeaders = (): Record<string, string | string[]>[] => {
  const address = createCallerAddress();
  return [
    { "x-forwarded-for": address },
    { "x-forwarded-for": `${address}, ${createCallerAddress()}` },
    { "x-roundup-client-address": address },
    { "X-Roundup-Client-Address": address },
    { "x-roundup-client-address": [address, createCallerAddress()] },
    { "x-roundup-client-address": "" },
    { "x-real-ip": address, "x-vercel-forwarded-for": address, forwarded: `for=${address}` },
  ];
};

describe.each(Object.entries(apps))("a client that reaches the service %s", (_caseName, { url }) => {
  test("cannot raise its limit of 60 calls a minute with forged address headers", async () => {
    const formCount = createForgedHeaders().length;
    for (let i = 0; i < 60; i++) {
      // The first calls have no forged header, and the others have each of its forms in turn.
      const headers = i < formCount ? {} : createForgedHeaders()[i % formCount];
      expect(await callFromLoopback(url, headers)).toEqual({ status: 200, remaining: 59 - i });
    }
    for (const headers of [{}, ...createForgedHeaders()])
      expect(await callFromLoopback(url, headers)).toEqual({ status: 429, remaining: 0 });
  });
});

test("a trusted proxy's header names the client, and no address of the service counts for it", async () => {
  const headers = { "x-forwarded-for": createCallerAddress(), "x-roundup-client-address": "10.0.0.1" };
  for (let i = 0; i < 3; i++) {
    expect(await callFromLoopback(proxiedApp.url, headers)).toEqual({ status: 200, remaining: 59 - i });
    const newClient = { "x-forwarded-for": `${createCallerAddress()}, ${createCallerAddress()}` };
    expect(await callFromLoopback(proxiedApp.url, newClient)).toEqual({ status: 200, remaining: 59 });
  }
});
