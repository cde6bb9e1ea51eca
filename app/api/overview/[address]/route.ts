import { getOverviewContract } from "@/lib/contracts/get-overview";
import { route, routes } from "@/lib/http/route";
import { getOverview } from "@/lib/services/get-overview";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(getOverview, getOverviewContract));
