import { getEventsContract } from "@/lib/contracts/get-events";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { getEvents } from "@/lib/services/get-events";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(bindRoute(getEvents, getEventsContract));
