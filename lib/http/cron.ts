import { createHash, timingSafeEqual } from "node:crypto";
import { getRuntime } from "../deps";
import type { Deps } from "../ports/deps";

/** Creates the handler of a path that Vercel's scheduler calls. The scheduler sends CRON_SECRET as a bearer token. */
export const createCronHandler =
  (work: (deps: Deps) => Promise<void>) =>
  async (request: Request): Promise<Response> => {
    const { env, deps } = getRuntime();
    const isScheduler =
      env.CRON_SECRET !== undefined &&
      timingSafeEqual(hash(request.headers.get("authorization") ?? ""), hash(`Bearer ${env.CRON_SECRET}`));
    if (!isScheduler) return new Response(null, { status: 401 });
    await work(deps);
    return new Response(null, { status: 204 });
  };

const hash = (text: string) => createHash("sha256").update(text).digest();
