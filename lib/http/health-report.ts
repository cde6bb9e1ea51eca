import type { Logger } from "pino";
import type { Handler } from "./route";

/** Logs what GET /api/health says at the start, so that what is missing is seen before somebody meets it. */
export async function reportHealth(getHealth: Handler, logger: Pick<Logger, "info" | "warn">): Promise<void> {
  const response = await getHealth(new Request("http://localhost/api/health"), { params: Promise.resolve({}) });
  const { data, error } = (await response.json()) as { data?: { degraded: object[] }; error?: string };
  if (data?.degraded.length === 0) logger.info({ health: "ready" });
  else logger.warn({ health: data?.degraded ?? error });
}
