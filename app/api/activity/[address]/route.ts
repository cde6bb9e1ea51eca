import { getActivityContract } from "@/lib/contracts/get-activity";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { getActivity } from "@/lib/services/get-activity";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(getActivity, getActivityContract),
);
