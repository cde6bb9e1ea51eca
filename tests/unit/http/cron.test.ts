import { expect, test } from "vitest";
import { createCronHandler } from "../../../lib/http/cron";
import { stageRuntime } from "../../support/app/staged-runtime";
import { createFakeDeps } from "../../support/fakes/fake-deps";

const SECRET = "cron-secret-0123";

test.each([
  ["the secret", SECRET, `Bearer ${SECRET}`, 204],
  ["another secret", SECRET, `Bearer ${SECRET}4`, 401],
  ["no header", SECRET, undefined, 401],
  ["any header while no secret is set", undefined, "Bearer undefined", 401],
])("a call with %s", async (_, secret, authorization, status) => {
  stageRuntime(createFakeDeps(), "", { CRON_SECRET: secret });
  let callCount = 0;
  const handle = createCronHandler(async () => void callCount++);
  const headers: HeadersInit = authorization ? { authorization } : {};
  const response = await handle(new Request("http://localhost/cron/advance-pending", { headers }));
  expect([response.status, callCount]).toEqual([status, status === 204 ? 1 : 0]);
});
