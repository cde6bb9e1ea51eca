import { getHealthContract } from "@/lib/contracts/get-health";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { getHealth } from "@/lib/services/get-health";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(bindRoute(getHealth, getHealthContract));
