import { getOverviewContract } from "@/lib/contracts/get-overview";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { getOverview } from "@/lib/services/get-overview";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(getOverview, getOverviewContract),
);
