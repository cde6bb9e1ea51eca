import { getHealthContract } from "@/lib/contracts/get-health";
import { route, routes } from "@/lib/http/route";
import { getHealth } from "@/lib/services/get-health";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(getHealth, getHealthContract));
