import { routes } from "@/lib/http/route";

/** Every /api path that no other module serves: a JSON 404. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes();
