import { createHandlers } from "@/lib/http/route";

/** /api itself and every path below it that no other module serves: a JSON 404. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers();
