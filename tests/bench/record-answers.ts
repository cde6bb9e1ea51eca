import { setImmediate } from "node:timers/promises";
import { buildRequest } from "./load-job";
import type { Load, LoadName } from "./loads";

/** Headers that node:http writes automatically. */
const AUTOMATIC_HEADERS = new Set(["date", "connection", "keep-alive", "transfer-encoding"]);

/** Records one answer of the service to each load, by path, for the raw server. @returns JSON */
export async function recordAnswers(
  baseUrl: string,
  { strangers: _, ...loads }: Record<LoadName, Load>,
): Promise<string> {
  // The creation of the loads blocked the process for seconds. After this pause, it has noticed closed sockets.
  await setImmediate();
  const answers: Record<string, unknown> = {};
  for (const [name, load] of Object.entries(loads)) {
    const { path, ...init } = buildRequest(load, 0);
    const response = await fetch(baseUrl + path, init);
    // Each wallet has its own portfolio path, so one recorded answer serves all of them.
    answers[name === "portfolio" ? "/api/portfolio" : path] = {
      status: response.status,
      headers: [...response.headers].filter(([header]) => !AUTOMATIC_HEADERS.has(header)).flat(),
      body: await response.text(),
    };
  }
  return JSON.stringify(answers);
}
