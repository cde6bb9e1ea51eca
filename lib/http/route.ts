/**
 * This folder turns a request into a call of a service and the result into an answer, behind two doors: `node-door.ts`
 * for server.ts, `web-door.ts` for Next. It makes no decisions about money and no upstream calls.
 */
import type { Logger } from "pino";
import type { z } from "zod";
import type { Contract, InputOf } from "../contracts/define";
import { getRuntime, type MeteredPorts, type Runtime } from "../deps";
import { computePlacesOfKey, PLACES_PER_ADDRESS } from "../domain/limits";
import type { KnownStaticKey } from "../domain/static-keys";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import type { Caller, RequestContext } from "../ports/request-context";
import { shortenAddress } from "../solana/short-address";
import { type Authenticator, createAuthenticator } from "./authenticate";
import { findClientAddress, isClientInRanges } from "./client-address";
import { decodeInput } from "./decode";
import { createLogger, describeFault, logRequest, type RequestLine, readTrace } from "./log";
import type { IncomingRequest, OutgoingResponse, RequestHeaders, ResponseHeaders } from "./message";
import { type Bucket, chooseBucket, countCall } from "./rate-limit";
import { respondBody, respondData, respondError, respondOptions } from "./respond";
import { toFetchResponse, toIncomingRequest } from "./web-door";

export interface Route {
  contract: Contract;
  service(deps: Deps, input: unknown, context: RequestContext): Promise<unknown>;
}

/** Binds a service to its contract, whose types must match. */
export function bindRoute<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Data extends z.ZodType,
>(
  service: (
    deps: Deps,
    input: InputOf<Contract<Params, Query, Body, Data>>,
    context: RequestContext,
  ) => Promise<z.output<Data>>,
  contract: Contract<Params, Query, Body, Data>,
): Route {
  return { contract, service: service as Route["service"] };
}

const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] as const;
type Method = (typeof METHODS)[number];

/** A route handler as Next calls it. server.ts calls `answer` directly, without creating a Request and a Response. */
export type Handler = ((request: Request, context: { params: Promise<PathParams> }) => Promise<Response>) & {
  answer(request: IncomingRequest, params: PathParams): Promise<OutgoingResponse>;
};

/** The text of each path parameter. The catch-all has a list of texts, which no operation reads. */
type PathParams = Record<string, string | string[]>;

/** Returns a handler for every method of one path. A method without a route answers 405, a path without any 404. */
export function createHandlers(...pathRoutes: Route[]): Record<Method, Handler> {
  const routesByMethod = new Map(pathRoutes.map((route) => [route.contract.method as string, route]));
  if (routesByMethod.has("GET")) routesByMethod.set("HEAD", routesByMethod.get("GET")!);
  const allow = [...routesByMethod.keys(), "OPTIONS"].join(", ");
  const apiPath = { routes: routesByMethod, allow };
  const answer: Handler["answer"] = (request, params) => handleRequest(request, params, apiPath);
  const handler: Handler = Object.assign(
    async (request: Request, { params }: { params: Promise<PathParams> }) =>
      toFetchResponse(request.method, await answer(toIncomingRequest(request), await params)),
    { answer },
  );
  return Object.fromEntries(METHODS.map((method) => [method, handler])) as Record<Method, Handler>;
}

/** The routes of one path by method, and the value of its Allow header. */
interface ApiPath {
  routes: Map<string, Route>;
  allow: string;
}

/** Handles a request, in this order: rate limit, path and method, credentials, input, service, encoding, log. */
async function handleRequest(request: IncomingRequest, params: PathParams, path: ApiPath): Promise<OutgoingResponse> {
  const startedAt = performance.now();
  const runtime = getRuntime();
  const meteredPorts = runtime.meterRequest();
  const { requestId, traceId, forwardedHeaders } = readTrace(request.headers, runtime.env.CLIENT_IP);
  const headers: ResponseHeaders = { "x-request-id": requestId };
  const logFields: RequestLogFields = { operation: "none", caller: "public" };
  let response: OutgoingResponse;
  try {
    const answer = () => answerRequest(request, params, { path, runtime, meteredPorts, headers, logFields });
    response = await (forwardedHeaders ? runtime.runWithTrace(forwardedHeaders, answer) : answer());
  } catch (error) {
    addFailure(logFields, error);
    response = respondError(error, requestId, headers);
  }
  const ms = Math.round((performance.now() - startedAt) * 100) / 100;
  // Not a spread, see COMMON_HEADERS in respond.ts.
  const timing = { status: response.status, ms, upstreamMs: meteredPorts.getUpstreamMs(), requestId };
  const logLine: RequestLine = Object.assign(logFields, timing);
  if (traceId !== undefined) logLine.traceId = traceId;
  runtime.metrics?.countRequest(logLine);
  logRequest(getHttpState(runtime).logger, logLine, runtime.deps.isEnding());
  return response;
}

type RequestLogFields = Omit<RequestLine, "status" | "ms" | "upstreamMs" | "requestId" | "traceId">;

interface RequestState {
  path: ApiPath;
  runtime: Runtime;
  meteredPorts: MeteredPorts;
  headers: ResponseHeaders;
  logFields: RequestLogFields;
}

/** Answers a request. @throws AppError for a planned failure; any other error is a bug */
async function answerRequest(
  request: IncomingRequest,
  params: PathParams,
  state: RequestState,
): Promise<OutgoingResponse> {
  const { path, runtime, meteredPorts, headers, logFields } = state;
  const { deps, quotaUser } = meteredPorts;
  const matchedRoute = path.routes.get(request.method);
  const limitingRuntime = matchedRoute?.contract.isRateLimitedLocally
    ? { ...runtime, limiter: runtime.localLimiter }
    : runtime;
  const staticKey = findStaticKey(request.headers, runtime);
  const callKind = { method: request.method, isProbe: isHealthProbe(request, matchedRoute?.contract) };
  const bucket = chooseBucket(callKind, findClientAddress(request.headers, runtime.env.CLIENT_IP), staticKey);
  Object.assign(quotaUser, identifyParty(bucket, staticKey));
  await countCall(limitingRuntime, bucket, headers);
  if (staticKey) runtime.keyUsage.countCall(staticKey.name);
  if (path.routes.size === 0)
    throw new AppError("not_found", { message: "There is no such API path. GET /api/openapi.json lists them all." });
  if (request.method === "OPTIONS") return respondOptions(path.allow, headers);
  if (!matchedRoute) throw new AppError("method_not_allowed", { allow: path.allow });

  const { contract, service } = matchedRoute;
  logFields.operation = contract.operation;
  if (contract.onlyNetwork && contract.onlyNetwork !== deps.network) throw new AppError("not_found");
  const { authenticator, encodedBodies } = getHttpState(runtime);
  const caller = await authenticator.authenticate(request.headers, contract.auth, staticKey);
  quotaUser.priority = (await isPublicRead(contract, caller, () =>
    authenticator.hasValidCredentials(request.headers, staticKey),
  ))
    ? "other"
    : "money";
  logFields.caller = caller.kind;
  if (caller.kind === "static-key" && caller.name) logFields.keyName = caller.name;
  if (caller.wallet !== null) logFields.wallet = shortenAddress(caller.wallet);

  const input = await decodeInput(request, params, contract, deps.network);
  const cacheControl = contract.cacheControl ?? "no-store";
  const fixedBody = encodedBodies.get(contract);
  if (fixedBody !== undefined) return respondBody(fixedBody, { status: 200, headers, cacheControl });
  const serviceCall = service(deps, input, {
    caller,
    walletHeader: request.headers.get("x-wallet"),
    hasStaticKey: () => staticKey !== null,
  });
  const output = await (contract.isLongRunning ? serviceCall : meteredPorts.limitTime(serviceCall));
  const cachedBody = contract.returnsCachedObjects && encodedBodies.get(output as object);
  if (cachedBody) return respondBody(cachedBody, { status: 200, headers, cacheControl });
  // Encode through the contract: a field that it does not declare is a bug and must not leave the process.
  const data = contract.data.parse(output);
  const status = contract.statuses?.chooseStatus(data) ?? 200;
  const response = respondData(data, { status, headers, cacheControl, hasNoEnvelope: contract.hasNoEnvelope ?? false });
  if (contract.isFixed) encodedBodies.set(contract, response.body!);
  else if (contract.returnsCachedObjects) encodedBodies.set(output as object, response.body!);
  return response;
}

/** Returns whether a monitor (HEAD) or a load balancer (`?probe=…`) asks for the health. */
const isHealthProbe = ({ method, search }: IncomingRequest, contract: Contract | undefined): boolean =>
  contract?.isRateLimitedLocally === true && (method === "HEAD" || /[?&]probe=/.test(search));

function identifyParty(bucket: Bucket, key: KnownStaticKey | null) {
  if (!key) return { kind: "address", id: bucket.id, maxPlaces: PLACES_PER_ADDRESS };
  return { kind: "static-key", id: key.id, maxPlaces: computePlacesOfKey(key.callsPerMinute) };
}

/** Returns the static key in x-api-key, or null. A key that is used outside its networks counts as unknown. */
function findStaticKey(headers: RequestHeaders, { env, staticKeys }: Runtime): KnownStaticKey | null {
  const text = headers.get("x-api-key");
  const key = text === null ? null : staticKeys.find(text);
  return key?.ranges && !isClientInRanges(headers, env.CLIENT_IP, key.ranges) ? null : key;
}

/** A read without credentials, behind which no money waits. Readiness must not depend on public reads. */
async function isPublicRead(
  { auth, isRateLimitedLocally }: Contract,
  caller: Caller,
  hasCredentials: () => boolean | Promise<boolean>,
) {
  if (auth === "optional") return caller.kind === "public";
  return auth === "none" && !isRateLimitedLocally && !(await hasCredentials());
}

function addFailure(logFields: RequestLogFields, error: unknown): void {
  const isAppError = error instanceof AppError;
  const cause = isAppError ? error.details.cause : error;
  logFields.code = isAppError ? error.code : "internal";
  if (cause !== undefined) logFields.fault = describeFault(cause);
}

interface HttpState {
  logger: Logger;
  authenticator: Authenticator;
  /** Bodies that are sent again. The key is the contract when its answer never changes, else the service's result. */
  encodedBodies: WeakMap<object, string>;
}

const globalState = globalThis as { [key: symbol]: unknown };
const HTTP_STATES_KEY = Symbol.for("roundup.web");
globalState[HTTP_STATES_KEY] ??= new WeakMap<Runtime, HttpState>();
const httpStates = globalState[HTTP_STATES_KEY] as WeakMap<Runtime, HttpState>;

function getHttpState(runtime: Runtime): HttpState {
  let httpState = httpStates.get(runtime);
  if (!httpState) {
    const { deps, env } = runtime;
    const logger = createLogger({ level: env.LOG_LEVEL, isBatched: !env.VERCEL });
    runtime.notices.listen((notice) => logger.warn({ notice }));
    httpState = { logger, authenticator: createAuthenticator(deps), encodedBodies: new WeakMap() };
    httpStates.set(runtime, httpState);
  }
  return httpState;
}
