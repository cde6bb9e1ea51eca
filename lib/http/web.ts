import type { Logger } from "pino";
import type { Runtime } from "../deps";
import { type Authenticator, createAuthenticator } from "./authenticate";
import { createLogger } from "./log";

/** What the HTTP side keeps beside the runtime, for as long as the runtime lives. */
export interface Web {
  logger: Logger;
  authenticator: Authenticator;
  /** Bodies of what is answered again: by its contract where it is always the same, else by what the service gave. */
  encoded: WeakMap<object, string>;
}

const shared = globalThis as { [key: symbol]: unknown };
const KEY = Symbol.for("roundup.web");
shared[KEY] ??= new WeakMap<Runtime, Web>();
const webs = shared[KEY] as WeakMap<Runtime, Web>;

export function webOf(runtime: Runtime): Web {
  let web = webs.get(runtime);
  if (!web) {
    const { deps, env } = runtime;
    const logger = createLogger(env.LOG_LEVEL, !env.VERCEL);
    runtime.notices.listen((notice) => logger.warn({ notice }));
    web = { logger, authenticator: createAuthenticator(deps, env.API_KEYS), encoded: new WeakMap() };
    webs.set(runtime, web);
  }
  return web;
}
