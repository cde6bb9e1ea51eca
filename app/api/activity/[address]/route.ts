import { getActivityContract } from "@/lib/contracts/get-activity";
import { route, routes } from "@/lib/http/route";
import { getActivity } from "@/lib/services/get-activity";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(getActivity, getActivityContract));
