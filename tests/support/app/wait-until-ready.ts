import { expect, vi } from "vitest";
import { get } from "../client/client";

/** Waits before each API test file until the health report is good: the nodes and the prices are then known. */
await vi.waitFor(async () => expect((await get("/api/health")).status).toBe(200), { timeout: 50_000, interval: 200 });
