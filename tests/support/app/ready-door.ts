import { expect, vi } from "vitest";
import { get } from "../client/client";

/** Before each file of API tests: the door under test is ready, as a load balancer would look for it before it sends anybody. */
await vi.waitFor(async () => expect((await get("/api/health")).status).toBe(200), { timeout: 50_000, interval: 200 });
