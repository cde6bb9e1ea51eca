import { afterAll, expect, test } from "vitest";
import { expectFailure } from "../support/answers";
import { makeFolder, removeFolder } from "../support/app";
import { data, get } from "../support/client";
import { NO_CHAIN, startOwnApp } from "../support/own-app";

const dataDir = await makeFolder();
afterAll(() => removeFolder(dataDir));

test("on SIGTERM readiness turns red first, while everything is still answered; then the process ends by itself", async () => {
  const app = await startOwnApp("drain", dataDir, { ...NO_CHAIN, DRAIN_SECONDS: "5" });
  app.child.kill("SIGTERM");
  await app.find((line) => /"ending":"SIGTERM"/.test(line) || undefined);
  const red = await get("/api/health");
  expectFailure(red, "service_not_ready");
  expect(red.headers.get("retry-after")).toMatch(/^\d+$/);
  expect((await data(get("/api/health?probe=live"))).live).toBe(true);
  expect((await get("/api/plans")).status).toBe(200);
  expect(await app.ended).toBe(0);
});
