import { getEventsContract } from "@/lib/contracts/get-events";
import { route, routes } from "@/lib/http/route";
import { getEvents } from "@/lib/services/get-events";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(getEvents, getEventsContract));
