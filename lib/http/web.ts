import type { Logger } from "pino";
import type { Runtime } from "../deps";
import { type Authenticator, createAuthenticator } from "./authenticate";
import { createLogger } from "./log";

/** What the HTTP layer keeps for each runtime, for the runtime's lifetime. */
export interface Web {
  logger: Logger;
  authenticator: Authenticator;
  /** Bodies that are sent again. The key is the contract when its answer never changes, else the service's result. */
  encoded: WeakMap<object, string>;
}

const shared = globalThis as { [key: symbol]: unknown };
const KEY = Symbol.for("roundup.web");
shared[KEY] ??= new WeakMap<Runtime, Web>();
const webs = shared[KEY] as WeakMap<Runtime, Web>;

/** Returns the HTTP state of a runtime, and creates it on first use. */
export function webOf(runtime: Runtime): Web {
  let web = webs.get(runtime);
  if (!web) {
    const { deps, env, staticKeys } = runtime;
    const logger = createLogger(env.LOG_LEVEL, !env.VERCEL);
    runtime.notices.listen((notice) => logger.warn({ notice }));
    web = { logger, authenticator: createAuthenticator(deps, staticKeys.find), encoded: new WeakMap() };
    webs.set(runtime, web);
  }
  return web;
}
