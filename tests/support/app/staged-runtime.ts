import { createKeyUsageCounter } from "../../../lib/clients/process/key-usage";
import { createNotices } from "../../../lib/clients/process/notices";
import { createStaticKeys } from "../../../lib/clients/process/static-keys";
import { meterPorts } from "../../../lib/clients/quota/meter-ports";
import { createMemoryRateLimiter } from "../../../lib/clients/store/rate-limiter";
import type { Runtime } from "../../../lib/deps";
import { type Env, parseEnv } from "../../../lib/env";
import type { Deps } from "../../../lib/ports/deps";

/** Makes the route modules of this process use these ports. @param apiKeys the value of API_KEYS */
export function stageRuntime(deps: Deps, apiKeys = "", settings: Partial<Env> = {}): void {
  const limiter = createMemoryRateLimiter(deps.clock);
  const env = parseEnv({ LOG_LEVEL: "silent", API_KEYS: apiKeys });
  const runtime: Partial<Runtime> = {
    // With VERCEL set the log is not batched. A batched log adds a listener for the end of the process, and many
    // listeners cause a warning.
    env: { ...env, VERCEL: "1", ...settings },
    deps,
    meterRequest: meterPorts(deps, []),
    limiter,
    localLimiter: limiter,
    notices: createNotices(),
    staticKeys: createStaticKeys(env.API_KEYS),
    keyUsage: createKeyUsageCounter({ kv: deps.kv, clock: deps.clock }),
    metrics: null,
  };
  Object.assign(globalThis, { [Symbol.for("roundup.runtime")]: runtime });
}
