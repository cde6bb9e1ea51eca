import { ADDRESS_STAMP } from "../../../lib/http/client-address";
import type { Handler } from "../../../lib/http/route";
import { API_PATHS, checkAnswer } from "./contract-check";

/* Serves the route modules of app/api in this process, with the ports of `stageRuntime`. */

type RouteModule = Record<"GET" | "POST" | "DELETE", Handler>;

// Loads all modules before any test begins. Staged time would not wait for a later import.
const ROUTES = await Promise.all(
  API_PATHS.map(async ({ path, pattern }) => {
    const file = `../../../app${path.replace(/\{(\w+)\}/g, "[$1]")}/route.ts`;
    return { pattern, methods: (await import(/* @vite-ignore */ file)) as RouteModule };
  }),
);

/**
 * Answers a request as the service does, and checks the answer against its contract.
 * @param url address with any origin
 * @param callerAddress the caller's IP address
 */
export async function answerInProcess(url: string, init: RequestInit, callerAddress: string): Promise<Response> {
  const { pathname, search } = new URL(url);
  const { pattern, methods } = ROUTES.find((route) => route.pattern.test(pathname))!;
  const method = (init.method ?? "GET") as keyof RouteModule;
  const incoming = {
    method,
    search,
    headers: new Headers({ ...(init.headers as Record<string, string>), [ADDRESS_STAMP]: callerAddress }),
    readBody: async () => Buffer.from(String(init.body ?? "")),
  };
  const { status, headers, body } = await methods[method].answer(incoming, { ...pattern.exec(pathname)!.groups });
  const response = new Response(body, { status, headers });
  checkAnswer(method, url, { status, headers: response.headers, text: body ?? "" });
  return response;
}
