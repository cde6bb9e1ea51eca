import { afterEach, expect, test } from "vitest";
import { healSandbox, stageFault, UPSTREAM_TEXT } from "../support/chain";
import { data, get } from "../support/client";

afterEach(healSandbox);

test("200: live and ready when chain, prices and store answer", async () => {
  expect(await data(get("/api/health"))).toEqual({ live: true, ready: true, network: "sandbox", degraded: [] });
  expect(await data(get("/api/health?probe=ready"))).toEqual({
    live: true,
    ready: true,
    network: "sandbox",
    degraded: [],
  });
});

test("503: not ready without the chain, which it names, with Retry-After", async () => {
  await stageFault("getBlockHeight", "error");
  const { status, body, headers, text } = await get("/api/health");
  expect([status, body?.code]).toEqual([503, "upstream_unavailable"]);
  expect(body?.error).toMatch(/not ready: chain did not answer/);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  expect(text).not.toMatch(UPSTREAM_TEXT);
});

test("200: live, asking nobody else, while everything behind it fails", async () => {
  await stageFault("*", "error");
  expect(await data(get("/api/health?probe=live"))).toEqual({
    live: true,
    ready: null,
    network: "sandbox",
    degraded: [],
  });
});

test("400: an unknown probe", async () => {
  const { status, body } = await get("/api/health?probe=start");
  expect([status, body?.code, body?.issues?.[0]?.path]).toEqual([400, "invalid_request", "probe"]);
});
